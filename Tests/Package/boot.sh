#!/bin/sh
# Makes FOLDER/root (an overlay of FOLDER/upper over this system) the root file system, and becomes systemd. Run it as
# the first process of new namespaces (mount, pid, ipc, uts, cgroup). The new system cannot change the machine's kernel
# settings, and reaches neither the machine's services nor its devices, except for a few such as /dev/null.
set -e
cd "$1/root"

mount -t proc proc proc
mount -t sysfs -o ro sysfs sys
mount -t cgroup2 cgroup2 sys/fs/cgroup
mount --bind proc/sys proc/sys
mount -o remount,bind,ro proc/sys
mount -t tmpfs -o mode=755 tmpfs dev
for node in null zero full random urandom tty; do
  touch "dev/$node"
  mount --bind "/dev/$node" "dev/$node"
done
mkdir dev/pts dev/shm
mount -t devpts -o newinstance,ptmxmode=0666,mode=620,gid=5 devpts dev/pts
ln -s pts/ptmx dev/ptmx
ln -s /proc/self/fd dev/fd
mount -t tmpfs -o mode=1777 tmpfs dev/shm
mount -t tmpfs -o mode=1777 tmpfs tmp
mount -t tmpfs -o mode=755 tmpfs run
mkdir run/machine
pivot_root . run/machine
umount -l run/machine
exec env -i container=other PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 \
  /lib/systemd/systemd --system --unit=multi-user.target --show-status=0 --log-target=journal </dev/null
