/// A condition of a simulated device.
public protocol SimulatedCondition: Hashable, Sendable {
    /// The conditions by their words in scenario files, such as `outOfPaper`. A slow device has its usual delay.
    static var words: KeyValuePairs<String, Self> { get }

    /// Everything that the device does takes this long.
    static func slow(_ delay: Duration) -> Self
}

extension SimulatedCondition {
    /// The word in scenario files, such as `outOfPaper`.
    public var fileWord: String { Self.words.first { $0.value == self }?.key ?? "slow" }

    /// The word in logs and requests, such as `out_of_paper`.
    public var word: String { Self.separated(fileWord) }

    /// Returns the conditions by their words in logs and requests. `delay` is that of a slow device.
    public static func named(delay: Duration) -> [(word: String, value: Self)] {
        words.map { (separated($0.key), $0.key == "slow" ? .slow(delay) : $0.value) }
    }

    private static func separated(_ word: String) -> String {
        word.reduce(into: "") { $0 += $1.isUppercase ? "_" + $1.lowercased() : String($1) }
    }
}

/// The condition of a simulated receipt printer.
public enum SimulatedPrinterCondition: SimulatedCondition {
    /// It prints immediately.
    case ready
    /// Out of paper: jobs wait.
    case outOfPaper
    /// Stopped: jobs wait until it is ready again.
    case jammed
    /// The print server accepts jobs, but the printer does not respond.
    case offline
    /// The queue rejects jobs.
    case refusing
    /// The print server does not respond.
    case away
    /// Each job takes this long.
    case slow(Duration)
    /// Jobs are dropped when printing starts.
    case failing

    public static let words: KeyValuePairs<String, SimulatedPrinterCondition> = [
        "ready": .ready, "outOfPaper": .outOfPaper, "jammed": .jammed, "offline": .offline, "refusing": .refusing,
        "away": .away, "slow": .slow(.seconds(10)), "failing": .failing,
    ]
}

/// The condition of the disk that holds the journal. The database rolls back what the disk refuses.
public enum DiskCondition: SimulatedCondition {
    /// Reads and writes work.
    case working
    /// No space left: reads work, writes fail.
    case full
    /// The file system is mounted read-only.
    case readOnly
    /// A flush takes this long on the session's clock.
    case slow(Duration)
    /// Reads and writes fail.
    case failing

    public static let words: KeyValuePairs<String, DiskCondition> = [
        "working": .working, "full": .full, "readOnly": .readOnly, "slow": .slow(.seconds(1)), "failing": .failing,
    ]
}
