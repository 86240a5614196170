import ArgumentParser
import HostSecurity
import Hosts
import ISO8583
import Simulator

/// `--keys`
struct KeyOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Keys for MACs, PINs, and key exchanges: a YAML file that only its owner can read, or a PKCS#11 URI.",
            valueName: "file"), completion: .file())
    var keys: String?

    /// - Returns: nil without the option.
    /// - Throws: `CommandFailure`
    func load() async throws(CommandFailure) -> HostKeys? {
        guard let keys else { return nil }
        return try await KeyFile.load(keys)
    }
}

/// A file or a token of keys that terminal and host share.
enum KeyFile {
    /// - Parameter place: the path of a key file, or the PKCS#11 URI of a token.
    /// - Returns: the keys.
    /// - Throws: `CommandFailure`
    static func load(_ place: String) async throws(CommandFailure) -> HostKeys {
        do throws(HostKeysError) {
            guard TokenURI.names(place) else { return try HostKeys(path: place) }
            // A token takes its time on a thread of its own, which simulated time does not know.
            return try await RunQueue.outside { () async throws(HostKeysError) in try await HostKeys.load(place) }
        } catch {
            throw CommandFailure(.configuration, code: code(error), message: error.message, fix: error.fix)
        }
    }

    private static func code(_ error: HostKeysError) -> String {
        guard case .token(let failure, _) = error else { return "key_file" }
        return switch failure {
        case .needsPIN, .noPINFile, .pinFile, .emptyPIN, .wrongPIN, .lastTry, .locked: "token_pin"
        case .uri, .module, .noToken, .severalTokens, .noKey, .sameLabel: "key_token"
        case .mechanism, .notPermitted, .removed, .timedOut, .failed: "key_token"
        }
    }

    /// Makes the security of a link; nil without them.
    ///
    /// - Throws: `CommandFailure` when they are not those of the profile.
    static func security(_ profile: MessageProfile, _ keys: HostKeys?) throws(CommandFailure) -> LinkSecurity? {
        do throws(KeyObstacle) {
            if let keys { return try LinkSecurity(profile, keys: keys) }
            return nil
        } catch {
            throw CommandFailure(
                .configuration, code: "key_file", message: "the keys are not those of '\(profile.name)': \(error)",
                fix: error.fix)
        }
    }
}
