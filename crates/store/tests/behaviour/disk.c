/* A disk that fails, for the tests of the store: loaded before libc, it stands between SQLite and the kernel.
 *
 * FRESHCONTEXT_DISK is a file whose first byte says what fails for files named freshcontext.sqlite3*:
 *   r  reading      w  writing      s  bringing what was written to the disk
 * With FRESHCONTEXT_SYNCED, each file is copied to <file>.synced whenever it is brought to the disk: what a loss of power
 * leaves of it at least. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

static int named(int fd, char *path, size_t size) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, size - 1);
    if (length <= 0) return 0;
    path[length] = 0;
    const char *name = strrchr(path, '/');
    return name && strncmp(name, "/freshcontext.sqlite3", 21) == 0;
}

static int fails(int fd, char what) {
    char path[4096];
    const char *control = getenv("FRESHCONTEXT_DISK");
    if (!control || !named(fd, path, sizeof path)) return 0;
    int kept = errno;
    char now = 0;
    int file = (int)syscall(SYS_openat, AT_FDCWD, control, O_RDONLY | O_CLOEXEC, 0);
    if (file >= 0) {
        syscall(SYS_read, file, &now, 1);
        syscall(SYS_close, file);
    }
    errno = kept;
    return now == what;
}

#define REAL(name) __typeof__(&name) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)
#define FAIL_AS(fd, what) if (fails(fd, what)) { errno = EIO; return -1; }

ssize_t read(int fd, void *to, size_t size) { REAL(read); FAIL_AS(fd, 'r') return real(fd, to, size); }
ssize_t pread(int fd, void *to, size_t size, off_t at) { REAL(pread); FAIL_AS(fd, 'r') return real(fd, to, size, at); }
ssize_t pread64(int fd, void *to, size_t size, off64_t at) { REAL(pread64); FAIL_AS(fd, 'r') return real(fd, to, size, at); }
ssize_t write(int fd, const void *from, size_t size) { REAL(write); FAIL_AS(fd, 'w') return real(fd, from, size); }
ssize_t pwrite(int fd, const void *from, size_t size, off_t at) { REAL(pwrite); FAIL_AS(fd, 'w') return real(fd, from, size, at); }
ssize_t pwrite64(int fd, const void *from, size_t size, off64_t at) { REAL(pwrite64); FAIL_AS(fd, 'w') return real(fd, from, size, at); }

static void keep(int fd) {
    char path[4096], copy[4200];
    if (!getenv("FRESHCONTEXT_SYNCED") || !named(fd, path, sizeof path)) return;
    snprintf(copy, sizeof copy, "%s.synced", path);
    int from = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
    int to = (int)syscall(SYS_openat, AT_FDCWD, copy, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (from >= 0 && to >= 0) while (sendfile(to, from, NULL, 1 << 20) > 0) {}
    if (from >= 0) syscall(SYS_close, from);
    if (to >= 0) syscall(SYS_close, to);
}

int fsync(int fd) { REAL(fsync); FAIL_AS(fd, 's') int done = real(fd); if (done == 0) keep(fd); return done; }
int fdatasync(int fd) { REAL(fdatasync); FAIL_AS(fd, 's') int done = real(fd); if (done == 0) keep(fd); return done; }
