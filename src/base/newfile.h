/* A new file that takes the place of another when it is complete. Models, caches and the files that
 * the command writes are all written in this way:
 *
 *   open     PATH.thresh-PID-N.tmp is created in the folder of the target
 *   write    as often as needed, to the descriptor (thr_write_all)
 *   close    the file gets the mode of the one it replaces, is synced, and is renamed to PATH;
 *            then the folder is synced
 *
 * So the target is at all times either the old file or the complete new one, also after a crash,
 * and a failure leaves it alone.
 *
 * The temporary file is created with O_EXCL and O_NOFOLLOW: a file or a symbolic link that somebody
 * has put at its name is neither overwritten nor followed. It has no more permissions than the file
 * it replaces. Its maker holds a lock (flock) on it, which ends with the process. Opening removes
 * temporary files of the same target, of the same user, that nobody has locked and whose process
 * no longer exists.
 *
 * A symbolic link as the target is followed: the file it points to is replaced, not the link.
 * Devices and pipes cannot be replaced; they are written to directly. */
#ifndef THR_BASE_NEWFILE_H
#define THR_BASE_NEWFILE_H

#include "thresh.h"

/* Writes all n bytes. Returns 0, or a negative number with the reason in errno. */
int thr_write_all(int fd, const void *bytes, size_t n);

#endif
