import Files
import Foundation
import Glibc
import Testing

@Suite struct FilesTests {
    /// A temporary folder for one test.
    private final class Folder {
        let path = NSTemporaryDirectory() + "files-" + UUID().uuidString

        init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }
        deinit { try? FileManager.default.removeItem(atPath: path) }

        func write(_ bytes: [UInt8], _ name: String) throws -> String {
            try Data(bytes).write(to: URL(fileURLWithPath: "\(path)/\(name)"))
            return "\(path)/\(name)"
        }
    }

    private let folder: Folder

    init() throws { folder = try Folder() }

    @Test func `a directory has names in order, and hidden ones are left out`() throws {
        for name in ["b", "a", ".hidden", "é"] { _ = try folder.write([], name) }
        #expect(try Files.names(in: folder.path) == ["a", "b", "é"])
        #expect(throws: FileError(code: ENOENT)) { try Files.names(in: folder.path + "/none") }
        #expect(throws: FileError(code: ENOTDIR)) { try Files.names(in: folder.path + "/a") }
    }

    @Test func `a file is read to its end or to the limit`() throws {
        let bytes = (0..<40_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
        let file = try folder.write(bytes, "file")
        #expect(try Files.contents(file, atMost: 1 << 20) == bytes)
        for limit in [0, 1, 16_384, 16_385, 39_999, 40_000] {
            #expect(try Files.contents(file, atMost: limit) == Array(bytes.prefix(limit)))
        }
        #expect(throws: FileError(code: ENOENT)) { try Files.contents(folder.path + "/none", atMost: 1) }
        #expect(throws: FileError(code: EISDIR)) { try Files.contents(folder.path, atMost: 1) }
        #expect(FileError(code: ENOENT).description == "No such file or directory")
    }

    @Test func `a file of the kernel's has no length and is read all the same`() throws {
        #expect(try !Files.contents("/proc/self/status", atMost: 1 << 16).isEmpty)
    }

    @Test func `a pipe without a writer is not waited for`() throws {
        let pipe = folder.path + "/pipe"
        try #require(mkfifo(pipe, 0o600) == 0)
        #expect(try Files.contents(pipe, atMost: 10) == [])
    }

    @Test func `a link says where it points, whether there is something or not`() throws {
        let link = folder.path + "/link"
        try #require(symlink("../there/it is", link) == 0)
        #expect(try Files.target(ofLink: link) == "../there/it is")
        let file = try folder.write([], "file")
        #expect(throws: FileError(code: EINVAL)) { try Files.target(ofLink: file) }
        #expect(throws: FileError(code: ENOENT)) { try Files.target(ofLink: folder.path + "/none") }
    }
}
