internal import Determinism
internal import SettingsFile

extension SettingsNode {
    /// A calendar date such as 2025-05-06, between 2000 and 2049.
    func civilDate() throws(SettingsError) -> CivilDate {
        let parts = try numbers("-", [4, 2, 2])
        guard let parts, (2000...2049).contains(parts[0]), (1...12).contains(parts[1]), (1...31).contains(parts[2])
        else { throw error("this is no date from 2000 to 2049", fix: "write it as 2025-05-06") }
        return CivilDate(year: parts[0], month: parts[1], day: parts[2])
    }

    /// The day of `date` at a time such as 12:30:00.
    func time(on date: CivilDate) throws(SettingsError) -> CivilDate {
        let parts = try numbers(":", [2, 2, 2])
        guard let parts, parts[0] < 24, parts[1] < 60, parts[2] < 60 else {
            throw error("this is no time of day", fix: "write it as 12:30:00")
        }
        return CivilDate(
            year: date.year, month: date.month, day: date.day, hour: parts[0], minute: parts[1], second: parts[2])
    }

    /// Numbers of fixed width with a separator between them; nil when the text is anything else.
    private func numbers(_ separator: Character, _ widths: [Int]) throws(SettingsError) -> [Int]? {
        let parts = try text(length: 1...40).split(separator: separator, omittingEmptySubsequences: false)
        let numbers = parts.compactMap { part in UInt16(part).map(Int.init) }
        return parts.map(\.utf8.count) == widths && numbers.count == widths.count ? numbers : nil
    }
}
