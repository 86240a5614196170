import CardSecrets
import Cryptography
import Determinism
import Foundation
import Testing

@testable import Simulator

/// The path of a temporary folder for one test, created on the first write.
private final class TemporaryFolder {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("keys-\(UUID().uuidString)").path

    var files: [String] { (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [] }

    func contents(_ path: String) -> Data? { FileManager.default.contents(atPath: path) }

    func write(_ data: Data, to path: String) { _ = FileManager.default.createFile(atPath: path, contents: data) }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}

struct TestRSAKeysTests {
    private let folder = TemporaryFolder()
    private let name = TestRSAKey(.icc, bits: 512)
    private var cache: TestKeyCache { TestKeyCache(directory: folder.path + "/deep/cardpresent") }

    private func generate(_ name: TestRSAKey, seed: UInt64) throws -> RSAPrivateKey {
        try RSAKeyGenerator(random: SeededRandomSource(seed: seed).stream("RSA test key \(name)"))
            .key(bits: name.bits, exponent: name.exponent)
    }

    @Test(arguments: [
        TestRSAKey(.certificationAuthority, bits: 1408), TestRSAKey(.icc, bits: 1024),
        TestRSAKey(.icc, bits: 1152, exponent: .fermatFour),
    ])
    func `the included keys are those of the standard seed`(name: TestRSAKey) throws {
        let key = try TestRSAKeys.embedded.key(name)
        #expect(key.publicKey == (try generate(name, seed: TestRSAKeys.standardSeed)).publicKey)
        #expect(key.length * 8 == name.bits)
    }

    @Test func `a seed has its own keys, always the same`() throws {
        let first = try TestRSAKeys(seed: 5).key(name).publicKey
        #expect(try TestRSAKeys(seed: 5).key(name).publicKey == first)
        #expect(try TestRSAKeys(seed: 6).key(name).publicKey != first)
        #expect(try TestRSAKeys(seed: 5).key(TestRSAKey(.iccPIN, bits: 512)).publicKey != first)
        #expect(try generate(name, seed: 5).publicKey == first)
    }

    @Test func `a signature that is kept is the one that would be made`() throws {
        let keys = TestRSAKeys()
        let name = TestRSAKey(.issuer, bits: 1152)
        let key = try keys.key(name)
        let cases: [(data: [UInt8], rest: [UInt8], hasWrongHash: Bool)] = [
            // The second has the bytes of the first, divided in another way.
            ([1, 2], [3], false), ([1], [2, 3], false), ([1, 2], [3], true), ([1, 2], [4], false),
        ]
        for _ in 1...2 {
            for (data, rest, hasWrongHash) in cases {
                let made = try RecoverableSignature.sign(data, rest: rest, with: key, hasWrongHash: hasWrongHash)
                let kept = try keys.signature(of: data, rest: rest, by: name, key, hasWrongHash: hasWrongHash)
                #expect(kept == made)
            }
        }
    }

    @Test func `a signature that does not fit is refused each time`() throws {
        let keys = TestRSAKeys()
        let name = TestRSAKey(.icc, bits: 1024)
        let key = try keys.key(name)
        let data = [UInt8](repeating: 1, count: 128)
        for _ in 1...2 {
            #expect(throws: CryptographyError.self) { try keys.signature(of: data, rest: [], by: name, key) }
        }
    }

    @Test func `a key does not depend on earlier requests`() throws {
        let keys = TestRSAKeys(seed: 5)
        _ = try keys.key(TestRSAKey(.issuer, bits: 512))
        #expect(try keys.key(name).publicKey == (try generate(name, seed: 5)).publicKey)
    }

    @Test func `a computed key is cached for this user, one file per key`() throws {
        let key = try TestRSAKeys(seed: 5, cache: cache).key(name)
        let path = cache.path(name, seed: 5)
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: cache.directory).count == 1)
        #expect(try #require(cache.load(name, seed: 5)).publicKey == key.publicKey)
        #expect(cache.load(name, seed: 6) == nil)
    }

    @Test func `a cached key is used, not computed again`() throws {
        // Another key under this name shows where it came from.
        let other = try generate(name, seed: 99)
        try cache.store(other, name, seed: 5)
        #expect(try TestRSAKeys(seed: 5, cache: cache).key(name).publicKey == other.publicKey)
    }

    @Test func `a damaged cache file is replaced`() throws {
        let key = try TestRSAKeys(seed: 5, cache: cache).key(name).publicKey
        let path = cache.path(name, seed: 5)
        let good = try #require(folder.contents(path))
        let random = SeededRandomSource(seed: 3)
        func damaged(_ round: Int) -> Data {
            var bytes = good
            switch round {
            case 0: bytes = Data()
            case 1: bytes = Data(count: 5000)
            case 2: bytes.removeLast(bytes.count / 2)
            case 3: bytes = Data("checksum 00\n".utf8)
            default:
                // Behind the remark, any byte counts.
                let start = bytes.firstIndex(of: 0x0A).map { UInt32($0) + 1 } ?? 0
                bytes[Int(random.number(in: start...UInt32(bytes.count - 2)))] ^= 1
            }
            return bytes
        }
        for round in 0..<40 {
            folder.write(damaged(round), to: path)
            #expect(cache.load(name, seed: 5) == nil)
        }
        #expect(try TestRSAKeys(seed: 5, cache: cache).key(name).publicKey == key)
        #expect(folder.contents(path) == good)
        // The file of another seed or key under this name is no better.
        folder.write(good, to: cache.path(name, seed: 7))
        folder.write(good, to: cache.path(TestRSAKey(.iccPIN, bits: 512), seed: 5))
        #expect(cache.load(name, seed: 7) == nil)
        #expect(cache.load(TestRSAKey(.iccPIN, bits: 512), seed: 5) == nil)
    }

    @Test func `a cache folder that cannot be created or written is no error`() throws {
        folder.write(Data("in the way".utf8), to: folder.path)
        let keys = TestRSAKeys(seed: 5, cache: cache)
        #expect(try keys.key(name).publicKey == (try generate(name, seed: 5)).publicKey)
        #expect(cache.load(name, seed: 5) == nil)
        // A folder where the file should be.
        let other = TestKeyCache(directory: folder.path + "-2")
        try FileManager.default.createDirectory(
            atPath: other.path(name, seed: 5), withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: other.directory) }
        #expect(try TestRSAKeys(seed: 5, cache: other).key(name).length == 64)
        #expect(try FileManager.default.contentsOfDirectory(atPath: other.directory).count == 1)
    }

    @Test func `included keys are not cached on disk`() throws {
        _ = try TestRSAKeys(cache: cache).key(TestRSAKey(.icc, bits: 1024))
        #expect(folder.files.isEmpty)
    }

    @Test func `the cache is in the user's cache folder`() {
        func directory(_ environment: [String: String]) -> String? {
            TestKeyCache.user { environment[$0] }?.directory
        }
        #expect(directory(["XDG_CACHE_HOME": "/c", "HOME": "/h"]) == "/c/cardpresent")
        #expect(directory(["XDG_CACHE_HOME": "", "HOME": "/h"]) == "/h/.cache/cardpresent")
        #expect(directory(["XDG_CACHE_HOME": "relative", "HOME": "/h"]) == "/h/.cache/cardpresent")
        #expect(directory([:]) == nil)
    }

    @Test func `every size of the authority's key has its own index`() {
        var sizes = CardKeySizes.standard
        var seen: Set<UInt8> = []
        for exponent in RSAPublicExponent.allCases {
            for bits in stride(from: 1024, through: 1984, by: 16) {
                (sizes.certificationAuthority, sizes.exponent) = (bits, exponent)
                seen.insert(sizes.certificationAuthorityIndex)
            }
        }
        #expect(seen.count == 122)
        #expect(!seen.contains(0xFF))
    }
}
