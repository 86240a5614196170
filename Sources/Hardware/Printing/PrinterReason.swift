/// Why a printer is as it is: a keyword of `printer-state-reasons` (RFC 8011 §5.4.12). Network printers, which know no
/// such words, are described by the same.
public struct PrinterReason: Hashable, Sendable {
    /// How much it matters.
    public enum Severity: String, Hashable, Sendable, Codable, CaseIterable {
        case report
        case warning
        case error
    }

    /// The keyword without its severity, such as `media-empty`.
    public let keyword: String
    /// An error where the keyword says nothing, as RFC 8011 has it.
    public let severity: Severity

    /// - Parameter keyword: as the printer or the server says it, such as `media-low-warning`.
    public init(_ keyword: String) {
        for severity in Severity.allCases where keyword.hasSuffix("-" + severity.rawValue) {
            (self.keyword, self.severity) = (String(keyword.dropLast(severity.rawValue.utf8.count + 1)), severity)
            return
        }
        (self.keyword, severity) = (keyword, .error)
    }

    static let coverOpen = "cover-open-error"
    static let mediaEmpty = "media-empty-error"
    static let mediaLow = "media-low-warning"
    static let offline = "offline-error"
    static let cutterFault = "cutter-error"
    static let fault = "other-error"

    /// For people.
    public var words: String {
        switch keyword {
        case "none": "nothing"
        case "media-empty", "media-needed": "there is no paper"
        case "media-low": "the paper is nearly out"
        case "media-jam": "the paper is jammed"
        case "cover-open", "door-open": "the cover is open"
        case "interlock-open": "a lid is open"
        case "offline", "shutdown": "it is off line"
        case "paused": "it was stopped by somebody"
        case "connecting-to-device": "the print server is connecting to it"
        case "timed-out": "it does not answer"
        case "cutter": "the cutter is stuck"
        case "toner-empty", "marker-supply-empty": "there is no ink"
        case "toner-low", "marker-supply-low": "the ink is nearly out"
        case "spool-area-full": "the print server's disk is full"
        case "cups-missing-filter": "the print server lacks a filter"
        case "other": "it has a fault"
        default: keyword
        }
    }

    /// What several keywords say, for people, in their order and without `none`.
    public static func words(_ keywords: [String]) -> String {
        keywords.filter { $0 != "none" }.map { PrinterReason($0).words }.joined(separator: ", ")
    }
}
