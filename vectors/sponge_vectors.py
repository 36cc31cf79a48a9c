"""Writes `pycryptodome/sponges.txt`: what PyCryptodome computes of cSHAKE and KMAC (NIST SP 800-185), TurboSHAKE and KT128 (RFC 9861).

Messages, keys and customization strings are the pattern of RFC 9861, section 5: bytes 0, 1, ... 250, again and again. Run `pip install pycryptodome`, then
`python3 sponge_vectors.py` in this folder.
"""

import pathlib

import Crypto
from Crypto.Hash import KMAC128, KMAC256, KangarooTwelve, TurboSHAKE128, TurboSHAKE256, cSHAKE128, cSHAKE256


def pattern(length):
    return (bytes(range(251)) * (length // 251 + 1))[:length]


def record(function, message_bytes, output, **parameters):
    fields = {"function": function, "message_bytes": message_bytes, **parameters, "output": output.hex()}
    return "\n".join(f"{name} = {value}".rstrip() for name, value in fields.items())


def records():
    strings = [0, 1, 15, 200, 400]
    lengths = [0, 1, 4, 135, 136, 137, 167, 168, 169, 200, 1000, 8191, 8192, 8193, 20000]
    for strength, cshake, kmac, turbo in ((128, cSHAKE128, KMAC128, TurboSHAKE128), (256, cSHAKE256, KMAC256, TurboSHAKE256)):
        for i, length in enumerate(lengths):
            custom, output_bytes = strings[i % len(strings)], [32, 64, 17, 300][i % 4]
            message = pattern(length)
            output = cshake.new(data=message, custom=pattern(custom)).read(output_bytes)
            yield record(f"cSHAKE{strength}", length, output, customization_bytes=custom)
            key = [32, 33, 170, 64, 300][i % 5]
            tag = kmac.new(key=pattern(key), data=message, mac_len=output_bytes, custom=pattern(custom)).digest()
            yield record(f"KMAC{strength}", length, tag, key_bytes=key, customization_bytes=custom)
            domain = [0x1F, 0x01, 0x07, 0x7F][i % 4]
            yield record(f"TurboSHAKE{strength}", length, turbo.new(data=message, domain=domain).read(output_bytes), domain=domain)
    edges = [8192 * n + more for n in (1, 2, 3, 8) for more in (-2, -1, 0, 1)]
    for i, length in enumerate([*lengths, *edges, 100_000, 3_000_000]):
        custom = [0, 1, 41, 8189][i % 4]
        output = KangarooTwelve.new(data=pattern(length), custom=pattern(custom)).read([32, 64, 500][i % 3])
        yield record("KT128", length, output, customization_bytes=custom)


def main():
    path = pathlib.Path(__file__).parent / "pycryptodome" / "sponges.txt"
    path.write_text("\n\n".join(records()) + "\n")
    print(f"{path}: PyCryptodome {Crypto.__version__}")


if __name__ == "__main__":
    main()
