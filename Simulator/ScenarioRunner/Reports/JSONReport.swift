internal import FoundationEssentials

/// A run as one JSON object, keys in order. There is no wall time in it, nor how many ran at the same time: two runs with
/// the same scenarios and seed have the same bytes.
public enum JSONReport {
    /// The whole report as one JSON value.
    public static func text(_ report: RunReport) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(report), as: UTF8.self) + "\n"
    }
}
