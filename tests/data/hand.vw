+1 | a b
-1 | b
+1 | a
-1 | b c
-1 | c
