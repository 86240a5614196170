internal import Glibc

/// A file in which the kernel shows a value (Documentation/filesystems/sysfs).
enum SysfsFile {
    /// What is in the file; nil when it cannot be read.
    static func contents(_ path: String) -> [UInt8]? {
        let file = Glibc.open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { Glibc.close(file) }
        // 255 configurations of 65,535 bytes cannot be told from a file without end; no real device comes near 64 KiB.
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while bytes.count < 1 << 16 {
            let count = read(file, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return nil }
            guard count > 0 else { break }
            bytes += chunk.prefix(count)
        }
        return bytes
    }

    /// A line of text without the characters that do not print: it may come from a device. Nil when nothing is left.
    static func text(_ path: String) -> String? {
        guard let bytes = contents(path) else { return nil }
        let scalars = String(decoding: bytes, as: UTF8.self).unicodeScalars.filter {
            $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value)
        }
        let line = String(String.UnicodeScalarView(scalars)).drop { $0 == " " }
        return line.isEmpty ? nil : String(line)
    }
}
