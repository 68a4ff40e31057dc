# SPDX-License-Identifier: Apache-2.0
"""Simulates two hosts on this machine: network namespaces, connected by a link of limited bandwidth. Needs Linux, root
and iproute2."""
import contextlib
import os
import pathlib
import shutil
import subprocess
import tempfile

MPIRUN = os.environ.get("MPIEXEC") or "mpirun"
NAMES = ("mbsc-host-0", "mbsc-host-1")
ADDRESSES = ("10.197.0.1", "10.197.0.2")  # on a link of their own
AGENT = """#!/bin/sh
# mpirun calls this script as it would call ssh: with the host, then the command.
host=$1; shift
case $host in
{cases}
esac
export TMPDIR={folder}/$host
mkdir -p "$TMPDIR"
exec ip netns exec "$name" sh -c "$*"
"""


def can_have():
    """Returns the reason why hosts cannot be simulated here; empty if they can."""
    if os.geteuid() != 0:
        return "network namespaces need root"
    for tool in ("ip", "tc"):
        if shutil.which(tool) is None:
            return f"there is no {tool} (package iproute2)"
    version = subprocess.run([MPIRUN, "--version"], capture_output=True, text=True, check=False).stdout
    if "Open MPI" not in version and "OpenRTE" not in version:
        return "only the mpirun of Open MPI can start ranks in network namespaces"
    try:
        with linked(1e8):
            return ""
    except subprocess.CalledProcessError as error:
        return error.stderr.strip()


def command(*words):
    subprocess.run([str(word) for word in words], check=True, capture_output=True, text=True)


@contextlib.contextmanager
def linked(bits_per_second):
    """Yields the words of a command that starts two ranks, one on each host. The link has no limit if bits_per_second
    is 0."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            for name in NAMES:
                subprocess.run(["ip", "netns", "del", name], capture_output=True, check=False)
                command("ip", "netns", "add", name)
                command("ip", "-n", name, "link", "set", "lo", "up")
            command("ip", "link", "add", "mbsc0", "netns", NAMES[0], "type", "veth", "peer", "name", "mbsc1", "netns",
                    NAMES[1])
            for number, (name, address) in enumerate(zip(NAMES, ADDRESSES)):
                command("ip", "-n", name, "address", "add", f"{address}/24", "dev", f"mbsc{number}")
                command("ip", "-n", name, "link", "set", f"mbsc{number}", "up")
                if bits_per_second:
                    # A burst of two milliseconds is short enough that the limit applies to messages of this program.
                    burst = max(16000, int(bits_per_second / 8 * 0.002))
                    command("tc", "-n", name, "qdisc", "add", "dev", f"mbsc{number}", "root", "tbf", "rate",
                            f"{int(bits_per_second)}bit", "burst", burst, "latency", "200ms")
            agent = pathlib.Path(folder) / "agent"
            cases = "\n".join(f"  {address}) name={name} ;;" for name, address in zip(NAMES, ADDRESSES))
            agent.write_text(AGENT.format(cases=cases, folder=folder), encoding="utf-8")
            agent.chmod(0o755)
            yield ["ip", "netns", "exec", NAMES[0], MPIRUN, "--allow-run-as-root",
                   "--host", ",".join(ADDRESSES), "-n", "2", "--bind-to", "none", "--mca", "plm_rsh_agent", str(agent),
                   "--mca", "pml", "ob1", "--mca", "btl", "tcp,self", "--mca", "btl_tcp_if_include", "10.197.0.0/24",
                   "--mca", "oob_tcp_if_include", "10.197.0.0/24", "--mca", "mpi_yield_when_idle", "1"]
        finally:
            for name in NAMES:
                subprocess.run(["ip", "netns", "del", name], capture_output=True, check=False)
