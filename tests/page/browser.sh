#!/bin/bash
# The pages in a real browser, wide and on a phone, light and dark: nothing on the console, every
# figure drawn, no scrolling sideways. Each page is shown in frames of two widths; a script added to
# a copy of it measures and tells.
. "$(dirname "$0")/../cli/lib.bash"

find_browser() { command -v chromium || command -v chromium-browser || command -v google-chrome; }
browser=$(find_browser) || {
    skip browser 'there is no browser here (Debian: chromium)'
    finish
}

pages() {
    "$plain" lab report -q -o "$work/lab.html" || fail 'no report'
    "$plain" race -q --html "$work/race.html" "$data/three.svm" || fail 'no race'
}
check browser-pages pages

# What the copy says of itself: width, scroll width, charts shown, charts that have a mark inside,
# marks outside of any number.
measure='<script>
window.addEventListener("error", e => console.error(e.message));
window.addEventListener("load", () => {
  const shown = [...document.querySelectorAll("svg.chart")].filter(s => s.getBoundingClientRect().width > 0);
  const marks = s => [...s.querySelectorAll("g polyline, g circle, g rect")];
  const drawn = shown.filter(s => marks(s).some(m => {
    const b = m.getBoundingClientRect(); return b.width + b.height > 1; }));
  const odd = shown.flatMap(marks).filter(m => /nan|inf/i.test(m.outerHTML));
  parent.postMessage([innerWidth, document.documentElement.scrollWidth, shown.length, drawn.length,
    odd.length, document.querySelectorAll("figure, svg.wide").length > 0].join(" "), "*");
});
</script>'

# frame NAME WIDTH SCHEME: prints what the page said, and the console.
frame() {
    local name=$1 width=$2 scheme=$3
    { cat "$work/$name.html" && echo "$measure"; } >page.html
    cat >frame.html <<END
<!DOCTYPE html><meta charset="utf-8"><iframe src="page.html" width="$width" height="900"></iframe>
<pre id="said"></pre><script>
onmessage = e => { document.getElementById("said").textContent = "said " + e.data; };
</script>
END
    timeout 120 "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage \
        --user-data-dir="$PWD/profile" --enable-logging=stderr --log-level=0 \
        --blink-settings=preferredColorScheme="$scheme" --window-size=1200,1000 \
        --virtual-time-budget=10000 --dump-dom "file://$PWD/frame.html" >dom 2>console
    sed -n 's/.*>said \([^<]*\)<.*/\1/p' dom
}

shows() {
    local name=$1 width=$2 scheme=$3 said
    said=$(frame "$name" "$width" "$scheme")
    ! grep -q 'CONSOLE' console || fail "$(grep CONSOLE console | head -n 3)"
    set -- $said
    [ $# -eq 6 ] || { fail "the page said '$said'"; return; }
    [ "$1" -eq "$width" ] || fail "a frame of $1"
    [ "$2" -le "$1" ] || fail "$2 wide in a frame of $1"
    [ "$3" -eq "$(grep -c '<svg class="chart wide' "$work/$name.html")" ] || fail "$3 charts shown"
    [ "$4" -eq "$3" ] || fail "$4 of $3 charts drawn"
    [ "$5" -eq 0 ] || fail "$5 marks without a place"
}

for name in lab race; do
    check "browser-$name-wide" shows "$name" 1000 0
    check "browser-$name-phone" shows "$name" 400 1
done
finish
