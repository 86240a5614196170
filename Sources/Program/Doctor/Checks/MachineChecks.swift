import CLinux
public import Determinism
public import Settings

/// Checks libusb and the libraries that the program loads on demand.
public struct LibrariesCheck: Check {
    /// A library loaded on demand.
    public struct Library: Sendable {
        /// The common name.
        public var name: String
        /// The Debian package that contains it.
        public var package: String
        /// Loads the library.
        ///
        /// - Returns: Why loading failed; nil on success.
        public var load: @Sendable () -> String?

        /// Describes a library. `package` is the Debian package that has it; `load` returns why it cannot be loaded, or
        /// nil.
        public init(name: String, package: String, load: @escaping @Sendable () -> String?) {
            (self.name, self.package, self.load) = (name, package, load)
        }
    }

    private let usbVersion: String
    private let libraries: [Library]

    /// - Parameters:
    ///   - usbVersion: The version of libusb, which is always loaded.
    ///   - libraries: The libraries loaded on demand.
    public init(usbVersion: String, libraries: [Library]) {
        (self.usbVersion, self.libraries) = (usbVersion, libraries)
    }

    public var name: CheckName { .libraries }

    public func findings() async -> [Finding] {
        [.ok(about: "libusb", "version \(usbVersion)")]
            + libraries.map { library in
                guard let reason = library.load() else { return .ok(about: library.name, "is installed") }
                return .warning(
                    about: library.name, "cannot be loaded: \(reason)", cause: "features that need it do not work",
                    fix: "sudo apt-get install \(library.package)")
            }
    }
}

/// Checks the configuration file.
public struct ConfigurationCheck: Check {
    private let path: String?
    private let fault: SettingsError?

    /// - Parameters:
    ///   - path: The configuration file; nil for the default configuration.
    ///   - fault: Why the file is invalid; nil when it is valid.
    public init(path: String?, fault: SettingsError?) { (self.path, self.fault) = (path, fault) }

    public var name: CheckName { .configuration }

    public func findings() async -> [Finding] {
        guard let fault else {
            return [.ok(path.map { "\($0) is valid" } ?? "no file, using the defaults")]
        }
        let key = fault.keyPath.isEmpty ? "" : "\(fault.keyPath): "
        return [
            .problem(
                .configuration, about: fault.place, key + fault.message, cause: fault.fix,
                fix: path.map { "cardpresent config check \($0)" })
        ]
    }
}

/// Checks the machine's clock.
public struct ClockCheck: Check {
    private let time: any TimeSource
    private let state: ClockState
    private let dated: [(name: String, date: Timestamp)]
    private let built: Timestamp?

    /// How far a file's date may be in the future, because clocks of two machines differ.
    private static let tolerance = Duration.seconds(600)

    /// - Parameters:
    ///   - time: The clock.
    ///   - state: Whether the clock is synchronized.
    ///   - built: The build time of the program, which must be in the past; nil when unknown.
    ///   - dated: Files and their modification times, which must be in the past.
    public init(
        time: any TimeSource, state: ClockState, built: Timestamp?, dated: [(name: String, date: Timestamp)]
    ) {
        (self.time, self.state, self.built, self.dated) = (time, state, built, dated)
    }

    public var name: CheckName { .clock }

    public func findings() async -> [Finding] {
        let now = time.now()
        let fix = "sudo timedatectl set-ntp true"
        let consequence = "cards and certificates are checked against the wrong date, and receipts show it"
        if let built, now.advanced(by: Self.tolerance) < built {
            return [
                .problem(
                    .machine, "the time is \(now), but this program was built on \(built)", cause: consequence,
                    fix: fix)
            ]
        }
        var findings = dated.filter { now.advanced(by: Self.tolerance) < $0.date }.map { file in
            Finding.problem(
                .machine, about: file.name, "was last written at \(file.date), but the time is \(now)",
                cause: "the clock was wrong then or is wrong now: \(consequence)", fix: fix)
        }
        if state == .notSynchronized {
            findings.append(
                .warning(
                    "the clock is not synchronized",
                    cause: "it drifts by seconds per day and is lost when the battery fails",
                    fix: fix))
        }
        return findings.isEmpty ? [.ok("the time is \(now)")] : findings
    }
}

/// Whether the machine's clock is synchronized.
public enum ClockState: Hashable, Sendable {
    case synchronized
    case notSynchronized
    /// The kernel does not report it.
    case unknown

    /// Returns the state that the kernel reports (adjtimex(2)).
    public static func ofKernel() -> ClockState {
        var state = timex()
        guard adjtimex(&state) >= 0 else { return .unknown }
        return state.status & STA_UNSYNC == 0 ? .synchronized : .notSynchronized
    }
}
