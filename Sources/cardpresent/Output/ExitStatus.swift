/// The exit codes of `cardpresent`. From 64 on they are those of `sysexits.h`.
enum ExitStatus: Int32, Sendable {
    case ok = 0
    case internalError = 1
    case declined = 2
    case cancelled = 3
    /// The host may have moved money and did not say; or a printer may have printed.
    case outcomeUnknown = 4
    case reader = 5
    case printer = 6
    /// Two things that were compared are not the same.
    case differs = 7
    case usage = 64
    case badData = 65
    case unavailable = 69
    case tryAgain = 75
    case configuration = 78
}
