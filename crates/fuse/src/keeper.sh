# Takes a mount away when the process that serves it is gone, however it ended. Arguments: the mount point and
# the source as mountinfo writes them, the mount point, the process.
trap '' HUP INT QUIT TERM

# One line says that it is about to be mounted, the next that it was unmounted in order; the end of the pipe,
# that the process ends.
read -r _ || exit 0
read -r _ && exit 0

# Whether the process has threads that have not ended.
runs() {
    for thread in /proc/"$1"/task/*; do
        read -r line < "$thread"/stat || continue
        case ${line##*) } in
            [ZX]*) ;;
            *) return 0 ;;
        esac
    done
    return 1
}

# Only what is mounted there last, and only if it is ours: somebody else may have mounted something.
take_away() {
    ours=
    while read -r _ _ device _ point rest; do
        [ "$point" = "$1" ] || continue
        case $rest in
            *" - fuse $2 "*) ours=$device ;;
            *) ours= ;;
        esac
    done < /proc/self/mountinfo
    [ "$ours" ] || return
    # Who waits for an answer, the process itself among them, has it now.
    echo 1 > /sys/fs/fuse/connections/"${ours#*:}"/abort
    umount -f -l "$3" >&2 || fusermount3 -u -z -- "$3" >&2
}

# A mount that is under way when the process is killed comes to its end before the process does.
looks=500
while [ "$looks" -gt 0 ]; do
    runs "$4" && looks=$((looks - 1)) || looks=0
    take_away "$1" "$2" "$3"
    [ "$looks" = 0 ] || sleep 0.02
done
