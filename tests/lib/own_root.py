"""own_root.py COMMAND [ARG...] - runs it where the kernel's paths begin at our root

The kernel half walks a path to the top of the mount namespace. In a chroot that is above the root that
the tests see, so that a path confirmed by the kernel has a beginning that no workload can state. This
makes a mount namespace whose root is that directory, as a container has one, and runs COMMAND there.
Outside a chroot, without root, or where a mount is refused it runs COMMAND as it is.
"""
import ctypes
import os
import platform
import sys

CLONE_NEWNS = 0x00020000                                # linux/sched.h
MS_BIND, MS_REC, MS_PRIVATE = 4096, 16384, 1 << 18      # linux/mount.h
MNT_DETACH = 2                                          # umount2(2)
PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}             # no wrapper in the C library

libc = ctypes.CDLL(None, use_errno=True)


def call(name, *args):
    if getattr(libc, name)(*args) != 0:
        raise OSError(ctypes.get_errno(), name)


def ancestors():
    pid = os.getppid()
    while pid > 0:
        yield pid
        with open("/proc/%d/stat" % pid) as stat:
            pid = int(stat.read().rpartition(")")[2].split()[1])


def outside():
    """Root of the nearest ancestor that has another one than we, in our mount namespace; or None."""
    mine = os.stat("/")
    for pid in ancestors():
        try:
            root = "/proc/%d/root" % pid
            theirs = os.stat(root + "/.")
            if os.readlink("/proc/%d/ns/mnt" % pid) != os.readlink("/proc/self/ns/mnt"):
                return None
        except OSError:
            continue
        if (mine.st_dev, mine.st_ino) != (theirs.st_dev, theirs.st_ino):
            return root
    return None


def seen_from(outer):
    """Path of our root as that ancestor has it: asked by a child that stands there."""
    parent = os.getpid()
    reader, writer = os.pipe()
    if os.fork() == 0:
        os.chroot(outer)
        os.write(writer, os.fsencode(os.readlink("/proc/%d/root" % parent)))
        os._exit(0)
    os.close(writer)
    os.wait()
    with os.fdopen(reader, "rb") as answer:
        return answer.read()


def move(outer):
    cwd, root = os.getcwd(), seen_from(outer)
    os.chroot(outer)        # before unshare, which takes root and directory along to the new mounts
    call("unshare", CLONE_NEWNS)
    call("mount", b"none", b"/", None, MS_REC | MS_PRIVATE, None)
    call("mount", root, root, None, MS_BIND | MS_REC, None)
    os.chdir(root)
    call("syscall", PIVOT_ROOT[platform.machine()], b".", b".")
    call("umount2", b".", MNT_DETACH)
    os.chdir("/")
    os.chdir(cwd)


def can_move(outer):
    """A try in a child: one that fails halfway must not leave us elsewhere."""
    if os.fork() == 0:
        try:
            move(outer)
            os._exit(0)
        except (OSError, KeyError):
            os._exit(1)
    return os.wait()[1] == 0


def main():
    outer = outside() if os.geteuid() == 0 else None
    if outer and can_move(outer):
        move(outer)
    os.execvp(sys.argv[1], sys.argv[1:])


if __name__ == "__main__":
    main()
