#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Run rdma-core's own tests, a line each: name, verdict, reason of a skip.

usage: runner.py DIRECTORY DEVICE NETDEV MODULE...

Each test is run by a process of its own, as one that crashes, natively, too,
would take the others with it.

The tests look for the network device under the RDMA device in sysfs, where
software devices have none; NETDEV is its name, or empty.
"""

import os
import signal
import sys
import unittest

# An emulated guest takes many times longer than a test on real hardware.
SECONDS_PER_TEST = 90 * int(os.environ.get('LAB_TIMEOUT_SCALE', 1))


class TimedOut(Exception):
    pass


def on_alarm(_signum, _frame):
    raise TimedOut(f'no end after {SECONDS_PER_TEST} seconds')


class Lines(unittest.TestResult):
    def say(self, test, verdict, text=''):
        print(test.id().removeprefix('tests.'), verdict, text.strip(),
              flush=True)

    def startTest(self, test):
        super().startTest(test)
        signal.alarm(SECONDS_PER_TEST)

    def stopTest(self, test):
        signal.alarm(0)
        super().stopTest(test)

    def addSuccess(self, test):
        self.say(test, 'ok')

    def addSkip(self, test, reason):
        self.say(test, 'skipped', ' '.join(reason.split()))

    def addFailure(self, test, err):
        self.say(test, 'failed', ' '.join(str(err[1]).split()))

    def addError(self, test, err):
        self.say(test, 'error', ' '.join(str(err[1]).split()))


def tests_of(suite):
    if isinstance(suite, unittest.TestSuite):
        for part in suite:
            yield from tests_of(part)
    else:
        yield suite


def run(test):
    child = os.fork()
    if child == 0:
        unittest.TestSuite([test]).run(Lines())
        os._exit(0)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if status:
        Lines().say(test, 'crashed', f'with status {status}')


def main():
    directory, device, netdev, *modules = sys.argv[1:]
    # The tests find their own modules and their arguments this way.
    sys.path[:0] = [directory, directory + '/tests']
    sys.argv[1:] = ['--dev', device]
    from args_parser import parser
    parser.parse_args()
    if netdev:
        from tests.base import RDMATestCase

        def get_ip_mac(self, dev, port, gid_index):
            self.args.append([dev, port, gid_index,
                              *self.get_ip_mac_address(netdev)])
        RDMATestCase._get_ip_mac = get_ip_mac
    signal.signal(signal.SIGALRM, on_alarm)
    for module in modules:
        suite = unittest.defaultTestLoader.loadTestsFromName('tests.' + module)
        for test in tests_of(suite):
            run(test)


main()
