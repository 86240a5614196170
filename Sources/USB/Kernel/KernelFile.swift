internal import Files
internal import Glibc

/// Files, directories and links of the kernel's own file systems.
enum KernelFile {
    /// 255 configurations of 65,535 bytes cannot be told from a file without end; no real device comes near 64 KiB.
    private static let mostBytes = 1 << 16

    /// The names in a directory, in order; none when there is no such directory.
    ///
    /// - Throws: ``USBError/accessDenied``, ``USBError/other(_:)``
    static func names(in directory: String) throws(USBError) -> [String] {
        do throws(FileError) {
            return try Files.names(in: directory)
        } catch {
            if error.code == ENOENT || error.code == ENOTDIR { return [] }
            throw USBError(errno: error.code)
        }
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
    static func contents(_ path: String) -> [UInt8]? { try? Files.contents(path, atMost: mostBytes) }

    /// Where a symbolic link points, as it is written; nil when there is none.
    static func target(ofLink path: String) -> String? { try? Files.target(ofLink: path) }
}
