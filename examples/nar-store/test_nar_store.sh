#!/bin/sh
# What the program lists is what Nix says of each file, if it is there, and a list is verified.
#
# usage: test_nar_store.sh PROGRAM
set -eu
store=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

i=0
for size in 0 1 7 8 9 55 56 63 64 65 119 120 1000 4096 1048575 1048576 2500000; do
    head -c "$size" /dev/zero | tr '\0' "$(printf "\\$(printf %03o $((97 + i)))")" >"file $size"
    i=$((i + 1))
done
cp "file 1000" executable
chmod u+x executable
# A few hundred more fill the lanes.
for i in $(seq 300); do echo "$i" >"short $i"; done

"$store" list file* executable short* >list
# Nix's own digest of a file of three bytes, wherever Nix is not installed.
printf abc >abc
[ "$("$store" list abc)" = "11a71b4754d812f4aea20161c533bdaa112ac5c853013e65d3aa9640b5735230  abc" ]
if command -v nix-hash >/dev/null; then
    nix-hash --type sha256 file* executable short* >digests
    cut -d " " -f 1 list | diff digests - || { echo "wrong: Nix has other digests"; exit 1; }
else
    echo "SKIPPED: no nix-hash on this machine"
    [ -z "${CI-}" ]
fi

"$store" verify list
"$store" verify 2 list
fails() { # CODE, what is said, the command
    code=$1 said=$2
    shift 2
    status=0
    "$@" >said 2>&1 || status=$?
    { [ "$status" = "$code" ] && grep -q "$said" said; } || { echo "wrong: $* ended with $status"; cat said; exit 1; }
}
echo changed >"short 7"
chmod u-x executable
rm "short 8"
fails 1 "^short 7: has changed" "$store" verify list
fails 1 "^executable: has changed" "$store" verify 0 list
fails 1 "^short 8: No such file" "$store" verify list
fails 1 "3 wrong" "$store" verify list
echo "no list" >bad
fails 2 "bad:1:" "$store" verify bad
fails 1 "No such file" "$store" list abc nowhere
fails 2 usage "$store" verify
fails 2 usage "$store" verify many list
echo fine
