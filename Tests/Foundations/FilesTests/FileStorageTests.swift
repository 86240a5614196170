import Foundation
import Glibc
import Testing

@testable import Files

@Suite struct FileStorageTests {
    private let folder: TemporaryFolder
    private var path: String { folder.path("settings") }

    init() throws { folder = try TemporaryFolder() }

    @Test func `stored data is read again, only by its owner, and no other files are left`() throws {
        let storage = FileStorage()
        let deep = folder.path("a/b/settings")
        #expect(try storage.contents(of: deep) == nil)
        try storage.replace(deep, with: [1, 2, 3])
        try storage.replace(deep, with: [4])
        #expect(try storage.contents(of: deep) == [4])
        #expect(try permissions(deep) == 0o600)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.path("a/b")).sorted() == [
                "settings", "settings.lock",
            ])
        try storage.delete(deep)
        try storage.delete(deep)
        #expect(try storage.contents(of: deep) == nil)
    }

    @Test func `a half-written file of a killed process is not read, and is replaced`() throws {
        let storage = FileStorage()
        try storage.replace(path, with: [1])
        try Data([9, 9]).write(to: URL(fileURLWithPath: path + ".new"))
        #expect(try storage.contents(of: path) == [1])
        try storage.replace(path, with: [2])
        #expect(try storage.contents(of: path) == [2])
    }

    @Test func `a change that fails leaves the file as it was`() throws {
        let storage = FileStorage()
        try storage.replace(path, with: [1])
        let refusal = FileStorageError.malformed(path: path, reason: "no")
        #expect(throws: refusal) {
            try storage.update(path) { bytes throws(FileStorageError) -> ([UInt8]?, Void) in
                #expect(bytes == [1])
                throw refusal
            }
        }
        #expect(try storage.contents(of: path) == [1])
    }

    @Test func `changes from many tasks are all made`() async throws {
        let (storage, path) = (FileStorage(), path)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<20 {
                group.addTask { try storage.update(path) { (($0 ?? []) + [1], ()) } }
            }
            try await group.waitForAll()
        }
        #expect(try storage.contents(of: path)?.count == 20)
    }

    @Test func `a file that is too long is an error and is not overwritten`() throws {
        try FileStorage().replace(path, with: [UInt8](repeating: 1, count: 100))
        let small = FileStorage(limit: 99)
        #expect(throws: FileStorageError.tooLong(path: path, limit: 99)) { try small.contents(of: path) }
        #expect(throws: FileStorageError.tooLong(path: path, limit: 99)) { try small.replace(path, with: [2]) }
        #expect(try FileStorage(limit: 100).contents(of: path)?.count == 100)
    }

    @Test func `a folder, a device or a pipe is no file`() throws {
        for path in [folder.path(""), "/dev/null"] {
            #expect(throws: FileStorageError.notARegularFile(path: path)) { try FileStorage().contents(of: path) }
        }
        let pipe = folder.path("pipe")
        #expect(mkfifo(pipe, 0o600) == 0)
        #expect(throws: FileStorageError.notARegularFile(path: pipe)) { try FileStorage().contents(of: pipe) }
    }

    @Test func `secrets in files that others can read, and behind a link, are rejected`() throws {
        let secrets = FileStorage(trust: .ownerAlone)
        try secrets.replace(path, with: [1])
        #expect(try secrets.contents(of: path) == [1])
        for mode: mode_t in [0o640, 0o604, 0o620, 0o610] {
            chmod(path, mode)
            #expect(throws: FileStorageError.openToOthers(path: path)) { try secrets.contents(of: path) }
            #expect(throws: FileStorageError.openToOthers(path: path)) { try secrets.replace(path, with: [2]) }
        }
        chmod(path, 0o600)
        let link = folder.path("link")
        #expect(symlink(path, link) == 0)
        #expect(throws: FileStorageError.notARegularFile(path: link)) { try secrets.contents(of: link) }
        #expect(try FileStorage().contents(of: link) == [1])
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give files away"))
    func `secrets in another user's file are refused`() throws {
        let secrets = FileStorage(trust: .ownerAlone)
        try secrets.replace(path, with: [1])
        #expect(chown(path, 65_534, 65_534) == 0)
        #expect(throws: FileStorageError.belongsToAnother(path: path)) { try secrets.contents(of: path) }
    }

    @Test func `a folder that cannot be created is an error with the file`() throws {
        try FileStorage().replace(path, with: [1])
        let below = path + "/settings"
        #expect(throws: FileStorageError.self) { try FileStorage().replace(below, with: [1]) }
        #expect(try FileStorage().contents(of: path) == [1])
    }

    private func permissions(_ path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return try #require(attributes[.posixPermissions] as? Int)
    }
}

/// A temporary folder for one test.
final class TemporaryFolder: Sendable {
    private let root: String

    init() throws {
        root = NSTemporaryDirectory() + "/cardpresent-files-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: root) }

    func path(_ name: String) -> String { root + "/" + name }
}
