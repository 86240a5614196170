internal import CardSecrets
public import Cryptography
internal import Determinism
internal import Synchronization

/// The RSA keys of the simulated payment world, found or made when somebody asks for one: in memory, among those
/// that come with the program, in the cache on disk, or by computation from the seed.
///
/// They are TEST keys that anybody can compute, and protect nothing.
public final class TestRSAKeys: Sendable {
    /// The seed of the keys that come with the program.
    public static let standardSeed: UInt64 = 0

    private let seed: UInt64
    private let cache: TestKeyCache?
    private let known = Mutex<[TestRSAKey: RSAPrivateKey]>([:])

    /// - Parameters:
    ///   - seed: what the keys are derived from.
    ///   - cache: where keys are kept for the next run of the program; nil for nowhere.
    public init(seed: UInt64 = standardSeed, cache: TestKeyCache? = nil) {
        (self.seed, self.cache) = (seed, cache)
    }

    /// Those of the standard seed, in memory only.
    public static let embedded = TestRSAKeys()

    /// The key of this name. The first time that it is asked for and nobody has kept it, this takes some ten
    /// milliseconds.
    ///
    /// - Throws: ``TestKeysError``
    public func key(_ name: TestRSAKey) throws(TestKeysError) -> RSAPrivateKey {
        try known.withLock { (known) throws(TestKeysError) in
            if let key = known[name] { return key }
            let key = try find(name)
            known[name] = key
            return key
        }
    }

    private func find(_ name: TestRSAKey) throws(TestKeysError) -> RSAPrivateKey {
        if seed == Self.standardSeed, let key = try Self.file.get().rsaKey(name) { return key }
        if let key = cache?.load(name, seed: seed) { return key }
        do throws(CryptographyError) {
            // A source for each key, so that a key does not depend on those that were made before it.
            let random = SeededRandomSource(seed: seed).stream("RSA test key \(name)")
            let key = try RSAKeyGenerator(random: random).key(bits: name.bits, exponent: name.exponent)
            try cache?.store(key, name, seed: seed)
            return key
        } catch {
            throw .unusable(name: name.description, error)
        }
    }

    private static let file: Result<TestKeyFile, TestKeysError> = Result { () throws(TestKeysError) in
        try TestKeyFile(PackageResources.test_rsa_keys_txt)
    }
}
