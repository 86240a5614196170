public import Determinism

/// The machine's clock.
public struct ClockCheck: Check {
    private let time: any TimeSource
    private let state: ClockState
    private let dated: [(name: String, date: Timestamp)]
    private let built: Timestamp?

    /// How far a file's date may lie ahead: two machines never quite agree.
    private static let tolerance = Duration.seconds(600)

    /// - Parameters:
    ///   - time: the clock.
    ///   - state: whether something keeps it right.
    ///   - built: when the program's file was made; nil when that is not known. It cannot be earlier now.
    ///   - dated: files of the till's and when they were last written, which cannot be later than now.
    public init(
        time: any TimeSource, state: ClockState, built: Timestamp?, dated: [(name: String, date: Timestamp)]
    ) {
        (self.time, self.state, self.built, self.dated) = (time, state, built, dated)
    }

    public var name: CheckName { .clock }

    public func findings() async -> [Finding] {
        let now = time.now()
        let fix = "sudo timedatectl set-ntp true"
        let consequence = "cards and certificates are checked against the wrong date, and receipts carry it"
        if let built, now.advanced(by: Self.tolerance) < built {
            return [
                .problem(
                    .machine, "it is \(now) by the clock, and this program was made on \(built)", cause: consequence,
                    fix: fix)
            ]
        }
        var findings = dated.filter { now.advanced(by: Self.tolerance) < $0.date }.map { file in
            Finding.problem(
                .machine, about: file.name, "was last written at \(file.date), and it is \(now) by the clock",
                cause: "the clock was right then or is right now, not both: \(consequence)", fix: fix)
        }
        if state == .notSynchronised {
            findings.append(
                .warning(
                    "nothing keeps the clock right", cause: "it drifts by seconds a day, and is lost with the battery",
                    fix: fix))
        }
        return findings.isEmpty ? [.ok("it is \(now)")] : findings
    }
}
