/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "config.h"

#include "attn-confine.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define PROCESSOR AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define PROCESSOR AUDIT_ARCH_AARCH64
#endif

/* Smallest number of the x32 system calls of x86-64 kernels, which are the same calls under other
 * numbers and would get around the filter. */
#define FOREIGN_CALLS 0x40000000

#define LOAD(member) \
  BPF_STMT (BPF_LD | BPF_W | BPF_ABS, offsetof (struct seccomp_data, member))
#define REFUSE            BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)
#define REFUSE_CALL(name) BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 1), REFUSE

/**
 * attn_confine:
 *
 * Forbids all threads of this process, irrevocably, to start programs and to create sockets, so
 * that a malicious file that takes control of its reader can do neither. The system calls then fail
 * with %EPERM.
 *
 * Returns: %FALSE if the kernel or the processor does not support such filters (seccomp(2)), and
 *   nothing is forbidden
 */
gboolean
attn_confine (void)
{
#ifdef PROCESSOR
  struct sock_filter filter[] = {
    LOAD (arch),
    BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, PROCESSOR, 1, 0),
    REFUSE,
    LOAD (nr),
    BPF_JUMP (BPF_JMP | BPF_JGE | BPF_K, FOREIGN_CALLS, 0, 1),
    REFUSE,
    REFUSE_CALL (execve),
    REFUSE_CALL (execveat),
    REFUSE_CALL (socket),
    REFUSE_CALL (io_uring_setup), /* can create sockets, too */
    BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = { G_N_ELEMENTS (filter), filter };

  return prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         syscall (SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) == 0;
#else
  return FALSE;
#endif
}
