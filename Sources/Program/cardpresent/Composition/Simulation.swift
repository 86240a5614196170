import ArgumentParser
import Determinism
import EMV
import Glibc
import Settings
import Simulator

/// Finds card profiles for commands.
enum CardCatalog {
    static var completion: CompletionKind { .list(CardProfileLibrary.allNames) }

    /// Returns the CA public keys that a terminal needs for a simulated card: RSA keys, and those on elliptic curves
    /// for its chip and for its tap.
    ///
    /// - Throws: `CommandFailure`
    static func authorityKeys(
        of nameOrPath: String, _ repeatability: Repeatability
    ) throws(CommandFailure) -> (rsa: [CAPublicKey], elliptic: [ECCAuthorityKey], contactless: [ECCAuthorityKey]) {
        let profile = try profile(nameOrPath)
        do {
            let keys = try TestKeys.embedded(rsa: repeatability.rsaKeys)
            return (
                try profile.certificationAuthorityKeys(keys), try profile.ellipticAuthorityKeys(),
                try CardProfile.contactlessAuthorityKeys(of: [profile])
            )
        } catch {
            throw CommandFailure(.internalError, code: "no_test_keys", message: "no keys for '\(nameOrPath)': \(error)")
        }
    }

    /// - Throws: `CommandFailure`
    static func profile(_ nameOrPath: String) throws(CommandFailure) -> CardProfile {
        do throws(CardProfileError) {
            return try CardProfileLibrary.profile(nameOrPath)
        } catch {
            throw CommandFailure(error)
        }
    }

    /// Returns the summary of a built-in card profile.
    ///
    /// - Throws: `CommandFailure`
    static func summary(of name: String) throws(CommandFailure) -> String {
        do throws(CardProfileError) {
            return try CardProfileLibrary.summary(of: name) ?? ""
        } catch {
            throw CommandFailure(error)
        }
    }
}

extension CommandFailure {
    fileprivate init(_ error: CardProfileError) {
        switch error {
        case .unknownProfile(let name, let known, let nearest):
            // Without a name that is near or has the typed text in it, the closest ones have nothing to do with it.
            let isNear = nearest != nil || !name.isEmpty && known.contains { $0.contains(name.lowercased()) }
            let all = "'cardpresent cards list' lists all"
            self.init(
                .usage, code: "unknown_card_profile", message: "unknown card profile '\(name)'",
                fix: isNear
                    ? (nearest.map { "did you mean '\($0)'? " } ?? "") + "the nearest profiles: "
                        + NearestName.closest(5, to: name, among: known).joined(separator: ", ") + "; " + all
                    : all + " profiles, and a file has a path such as ./card.yaml")
        case .malformed(let error):
            self.init(.badData, code: "malformed_card_profile", message: error.located, fix: error.fix)
        }
    }
}

/// Finds models of simulated readers for commands.
enum ReaderModelCatalog {
    static var names: [String] { models.map(\.name) }

    /// The models that work correctly, and then the faulty ones.
    private static var models: [SimulatedReaderModel] { SimulatedReaderModel.all + SimulatedReaderModel.faulty }

    static var completion: CompletionKind { .list(names) }

    /// Returns the simulated reader with this name: chip or magnetic stripe.
    ///
    /// - Throws: `CommandFailure`
    static func reader(_ name: String) throws(CommandFailure) -> SimulatedReader {
        let readers = SimulatedReader.all + SimulatedReaderModel.faulty.map { .chip($0) }
        guard let reader = readers.first(where: { $0.name == name }) else {
            throw CommandFailure(
                .usage, code: "unknown_reader_model", message: "unknown simulated reader model '\(name)'",
                fix: .choice(of: name, among: readers.map(\.name), called: "models"))
        }
        return reader
    }
}

/// The source of time and random numbers: the machine or a seed.
struct Repeatability: Hashable, Sendable {
    /// Nil for the machine's time and random numbers.
    var seed: UInt64?
    /// The seed of random numbers when the time is the machine's.
    private var chance: UInt64?
    /// Whether the RSA keys are the built-in ones for every seed.
    private var hasProgramsKeys = false

    init(seed: UInt64?) { self.seed = seed }

    /// Returns the variant that a scenario can repeat: with a seed for random numbers and the built-in RSA keys.
    func recorded(chance: UInt64) -> Repeatability {
        var recorded = self
        (recorded.chance, recorded.hasProgramsKeys) = (chance, true)
        return recorded
    }

    static let none = Repeatability(seed: nil)

    var random: any RandomSource { (seed ?? chance).map { SeededRandomSource(seed: $0) } ?? SystemRandomSource() }

    /// The RSA keys of the simulation: the built-in ones, or those of the seed, which the first run computes and
    /// caches.
    var rsaKeys: TestRSAKeys {
        guard !hasProgramsKeys else { return TestRSAKeys(seed: TestRSAKeys.standardSeed, cache: nil) }
        let cache = TestKeyCache.user { name in getenv(name).map { String(cString: $0) } }
        return TestRSAKeys(seed: seed ?? TestRSAKeys.standardSeed, cache: cache)
    }

    /// The time source of a command that uses no reader: the machine's, or with a seed a simulated clock. Its run queue
    /// is that of ``DeterminismOptions/play(_:)``.
    var time: any TimeSource { seed == nil ? SystemTimeSource() : SimulationClock(virtualTime) }

    /// The time of a simulated clock. Starts at the current time, or with a seed at a fixed time.
    var virtualTime: VirtualTimeSource {
        guard seed == nil else { return VirtualTimeSource() }
        let system = SystemTimeSource()
        // A whole second, so that two runs with the same random numbers pass the same second boundaries.
        let now = Timestamp(milliseconds: system.now().milliseconds / 1000 * 1000)
        return VirtualTimeSource(start: now, offsetSeconds: system.offsetSeconds(at: now))
    }
}
