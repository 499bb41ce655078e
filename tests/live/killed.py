#!/usr/bin/env python3
"""killed.py BUILD RECORDING PID SEED FILE - one kill -9 of a capture of PID, which writes to FILE

Says: status of decode, status of --check, calls in the recording, how many of the writes that FILE has from
before the signal are missing, microseconds from the last one there to the signal, what else is wrong.
"""
import json, os, random, signal, subprocess, sys, time
b, out, pid, seed = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
random.seed(seed)
capture = subprocess.Popen([b + "/iotap-capture", "--force", "-o", out, str(pid)],
                           stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
deadline = time.monotonic() + 30


def has_calls():
    if not os.path.exists(out):
        return False
    decode = subprocess.run([b + "/iotap-decode", "-F", "json", out], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return decode.stdout.count(b'{"type":"event"') >= 100


while not has_calls() and time.monotonic() < deadline:
    time.sleep(0.002)
time.sleep(random.uniform(0, 0.25))
made = os.stat(sys.argv[5]).st_size
killed = time.time_ns()
capture.send_signal(signal.SIGKILL)
capture.wait()
decode = subprocess.run([b + "/iotap-decode", "-F", "json", out], capture_output=True)
calls = decode.stdout.count(b'{"type":"event"')
at = decode.stdout.rfind(b'{"type":"event"')
e = json.loads(decode.stdout[at:decode.stdout.index(b"\n", at)]) if at >= 0 else {"time_ns": 0, "offset": 0}
missing = max(made - e["offset"] - 1, 0)
check = subprocess.run([b + "/iotap-decode", "--check", out], capture_output=True, text=True)
bad = [l for l in check.stdout.splitlines() if l.startswith(("bad", "BROKEN")) and "ends abruptly" not in l]
print(decode.returncode, check.returncode, calls, missing, (killed - e["time_ns"]) // 1000, "; ".join(bad))
