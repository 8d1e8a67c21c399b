# In a name space of its own: a machine with one drive, whose files are those of a folder in memory.
# $1: what to do (udev, sh, bash, tmpfiles); $2: a folder with the files; $3: name, $4: model, $5: rotational.
set -e
mount -t tmpfs none /run
mount -t tmpfs none /dev
mount -t tmpfs none /sys
: > /dev/null
folder=/sys/devices/pci0000:00/0000:00:05.0
case $3 in
nvme*) device=$folder/nvme/nvme0 kind=class/nvme drive=$device/$3 driver= ;;
*) device=$folder/host0/target0:0:0/0:0:0:0 kind=bus/scsi drive=$device/block/$3 driver=sd ;;
esac
mkdir -p $drive/queue /sys/bus/pci/drivers/nvme /sys/class/block /sys/block /sys/class/nvme /sys/bus/scsi/drivers/sd
: > $folder/uevent
ln -s /sys/bus/pci $folder/subsystem
ln -s /sys/bus/pci/drivers/nvme $folder/driver
: > $device/uevent
ln -s /sys/$kind $device/subsystem
[ -z "$driver" ] || ln -s /sys/bus/scsi/drivers/$driver $device/driver
printf '%s\n' "$4" > $device/model
printf 'MAJOR=259\nMINOR=0\nDEVNAME=%s\nDEVTYPE=disk\n' "$3" > $drive/uevent
ln -s /sys/class/block $drive/subsystem
ln -s $device $drive/device
ln -s $drive /sys/class/block/$3
ln -s $drive /sys/block/$3
echo 259:0 > $drive/dev
echo "$5" > $drive/queue/rotational
for key in scheduler nr_requests read_ahead_kb max_sectors_kb; do : > $drive/queue/$key; done
case $1 in
udev)
    mount -t tmpfs none /etc/udev
    [ ! -d /usr/lib/udev/rules.d ] || mount -t tmpfs none /usr/lib/udev/rules.d
    mkdir -p /run/udev/rules.d
    cp "$2"/* /run/udev/rules.d/
    echo '[none] mq-deadline kyber bfq' > $drive/queue/scheduler
    for action in add change; do
        SYSTEMD_DEVICE_VERIFY_SYSFS=0 SYSTEMD_LOG_LEVEL=debug udevadm test --action=$action $drive 2>&1
    done
    ;;
tmpfiles) for file in "$2"/*; do systemd-tmpfiles --create --boot "$file" 2>&1 || true; done ;;
*) for file in "$2"/*; do $1 "$file" 2>&1 || true; done ;;
esac
echo "machine: done"
for key in scheduler nr_requests read_ahead_kb max_sectors_kb; do
    echo "written: queue/$key=$(head -n 1 $drive/queue/$key)"
done
