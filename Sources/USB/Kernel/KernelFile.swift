internal import Glibc

/// Files, directories and links of the kernel's own file systems.
enum KernelFile {
    /// The names in a directory, in no order; none when there is no such directory.
    ///
    /// - Throws: ``USBError/accessDenied``, ``USBError/other(_:)``
    static func names(in directory: String) throws(USBError) -> [String] {
        guard let stream = opendir(directory) else {
            let code = errno
            if code == ENOENT || code == ENOTDIR { return [] }
            throw USBError(errno: code)
        }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: pointer.pointee)) {
                    String(cString: $0)
                }
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names
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

    /// What is in a file, up to 64 KiB; nil when it cannot be read.
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

    /// Where a symbolic link points, as it is written; nil when there is none.
    static func target(ofLink path: String) -> String? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(path, &buffer, buffer.count)
        return count > 0 ? String(decoding: buffer.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self) : nil
    }
}
