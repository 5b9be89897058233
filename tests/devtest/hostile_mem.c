// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory that does not answer: pages that nobody provides (userfaultfd), and a
 * file whose server does not reply (FUSE).
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <linux/fuse.h>
#include <linux/userfaultfd.h>

#include "hostile_vmm.h"

/**
 * hostile_uffd() - make a userfaultfd
 * @features: UFFD_FEATURE_*
 *
 * Faults of the kernel count, too, since this runs as root.
 *
 * Return: the file, or -1 if the kernel has none.
 */
int hostile_uffd(uint64_t features)
{
	struct uffdio_api api = {.api = UFFD_API, .features = features};
	int fd = syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);

	if (fd < 0 && errno == ENOSYS)
		return -1;
	REQUIRE(fd >= 0, "userfaultfd (%s)", strerror(errno));
	REQUIRE(!ioctl(fd, UFFDIO_API, &api), "UFFDIO_API");
	return fd;
}

bool hostile_uffd_register(int uffd, void *addr, size_t len)
{
	struct uffdio_register reg = {
		.range = {.start = (uintptr_t)addr, .len = len},
		.mode = UFFDIO_REGISTER_MODE_MISSING,
	};

	return !ioctl(uffd, UFFDIO_REGISTER, &reg);
}

/* Provide pages. */
bool hostile_uffd_copy(int uffd, void *to, const void *from, size_t len)
{
	struct uffdio_copy copy = {
		.dst = (uintptr_t)to,
		.src = (uintptr_t)from,
		.len = len,
	};

	return !ioctl(uffd, UFFDIO_COPY, &copy);
}

struct fuse_reply {
	struct fuse_out_header hdr;
	union {
		struct fuse_init_out init;
		struct fuse_attr_out attr;
		struct fuse_open_out open;
	};
};

/* Fill in a reply; returns its length, or 0 for none. */
static size_t fuse_answer(const struct fuse_in_header *in,
			  struct fuse_reply *out)
{
	switch (in->opcode) {
	case FUSE_INIT:
		out->init.major = FUSE_KERNEL_VERSION;
		out->init.minor = 31;
		out->init.max_readahead = 4096;
		/* Without it, a process that waits cannot be killed. */
		out->init.flags = FUSE_ASYNC_READ;
		out->init.max_write = 4096;
		return sizeof(out->init);
	case FUSE_GETATTR:
		out->attr.attr.ino = 1;
		out->attr.attr.size = HOSTILE_FUSE_LEN;
		out->attr.attr.mode = S_IFREG | 0600;
		out->attr.attr.nlink = 1;
		out->attr.attr_valid = 3600;
		return sizeof(out->attr);
	case FUSE_OPEN:
		return sizeof(out->open);
	default:
		return 0;
	}
}

/* Serve the file, but never what is in it. */
static void fuse_serve(void *arg)
{
	static union {
		struct fuse_in_header hdr;
		char data[FUSE_MIN_READ_BUFFER + 4096];
	} in;
	int fd = *(int *)arg;
	struct fuse_reply out;
	size_t len;

	while (read(fd, &in, sizeof(in)) > 0) {
		if (in.hdr.opcode == FUSE_READ ||
		    in.hdr.opcode == FUSE_INTERRUPT ||
		    in.hdr.opcode == FUSE_FORGET ||
		    in.hdr.opcode == FUSE_BATCH_FORGET)
			continue;
		memset(&out, 0, sizeof(out));
		len = fuse_answer(&in.hdr, &out);
		if (!len && in.hdr.opcode != FUSE_RELEASE)
			out.hdr.error = -ENOSYS;
		out.hdr.unique = in.hdr.unique;
		out.hdr.len = sizeof(out.hdr) + len;
		if (write(fd, &out, out.hdr.len) < 0 && errno != ENOENT)
			break;
	}
}

/**
 * hostile_fuse() - open a file whose content never comes
 *
 * A child serves it: a server in the process that waits could not be killed.
 * The mount is in a namespace of this process, and ends with it.
 *
 * Return: the file, HOSTILE_FUSE_LEN bytes long, or -1 if the kernel has no
 * FUSE.
 */
int hostile_fuse(void)
{
	char path[] = "/tmp/devtest-fuse-XXXXXX", options[128];
	struct stat st;
	int dev, file;

	dev = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	if (dev < 0 && (errno == ENOENT || errno == ENODEV))
		return -1;
	REQUIRE(dev >= 0, "/dev/fuse opens");
	REQUIRE(!unshare(CLONE_NEWNS), "a mount namespace");
	REQUIRE(!mount("", "/", NULL, MS_REC | MS_PRIVATE, NULL),
		"mounts are private");
	file = mkstemp(path);
	REQUIRE(file >= 0, "mkstemp");
	close(file);
	snprintf(options, sizeof(options),
		 "fd=%d,rootmode=100600,user_id=0,group_id=0", dev);
	REQUIRE(!mount("devtest", path, "fuse", MS_NOSUID | MS_NODEV, options),
		"mount of a FUSE file (%s)", strerror(errno));
	hostile_fork(fuse_serve, &dev);
	close(dev);
	file = open(path, O_RDWR | O_CLOEXEC);
	REQUIRE(file >= 0, "the FUSE file opens (%s)", strerror(errno));
	/* The kernel asks for the length only now. */
	REQUIRE(!fstat(file, &st) && st.st_size == HOSTILE_FUSE_LEN,
		"the FUSE file has a length");
	umount2(path, MNT_DETACH);
	unlink(path);
	return file;
}
