/// A size of paper.
public struct PrintMedium: Hashable, Sendable, Codable {
    /// The name by which the printer knows it: that of PWG 5101.1, such as `iso_a4_210x297mm`, or one of its own.
    public var name: String
    /// In hundredths of a millimetre, as IPP counts.
    public var width: Int
    /// In hundredths of a millimetre; of a roll the longest page.
    public var length: Int

    public init(name: String, width: Int, length: Int) {
        (self.name, self.width, self.length) = (name, width, length)
    }

    /// Rolls of receipt printers are at most this wide, in hundredths of a millimetre; sheets are wider.
    private static let widestRoll = 9000

    public var isRoll: Bool { width <= Self.widestRoll }

    /// The sizes that have a name everybody knows: `58mm`, `80mm`, `a4`, `letter`; nil for any other name.
    public static func wellKnown(_ name: String) -> PrintMedium? {
        switch name.lowercased() {
        case "58mm": PrintMedium(name: "58mm", width: 5800, length: 29_700)
        case "80mm": PrintMedium(name: "80mm", width: 8000, length: 29_700)
        case "a4": PrintMedium(name: "iso_a4_210x297mm", width: 21_000, length: 29_700)
        case "letter": PrintMedium(name: "na_letter_8.5x11in", width: 21_590, length: 27_940)
        default: nil
        }
    }

    /// The medium that is nearest in size. Of a roll only the width counts, and the longest is taken; a sheet is nearest
    /// only when it differs by less than 5 mm each way: A4 is no letter.
    func nearest(in media: [PrintMedium]) -> PrintMedium? {
        let tolerance = 500
        let near = media.filter { medium in
            medium.isRoll == isRoll && abs(medium.width - width) < tolerance
                && (isRoll || abs(medium.length - length) < tolerance)
        }
        return near.min { first, second in
            let (one, other) = (abs(first.width - width), abs(second.width - width))
            return one != other ? one < other : first.length > second.length
        }
    }
}
