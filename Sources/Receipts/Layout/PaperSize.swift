/// What a receipt is drawn on.
public enum PaperSize: Hashable, Sendable, CaseIterable {
    case roll58
    case roll80
    case a4
    case letter

    /// Dots a millimetre of a receipt printer's head: 203 dots an inch.
    static let dotsPerPoint = 203.0 / 72

    /// In points of 1/72 inch.
    var width: Double {
        switch self {
        case .roll58: Self.points(58)
        case .roll80: Self.points(80)
        case .a4: Self.points(210)
        case .letter: 612
        }
    }

    /// In points; nil for a roll, whose page is as long as the receipt.
    var height: Double? {
        switch self {
        case .roll58, .roll80: nil
        case .a4: Self.points(297)
        case .letter: 792
        }
    }

    /// The part of the width that is printed on, in points. A head for 58 mm has 384 dots, one for 80 mm 576.
    var printableWidth: Double {
        switch self {
        case .roll58: 384 / Self.dotsPerPoint
        case .roll80: 576 / Self.dotsPerPoint
        case .a4, .letter: Self.points(120)
        }
    }

    /// The same in dots of a receipt printer's head.
    var dots: Int { Int(printableWidth * Self.dotsPerPoint) }

    /// Above and below what is printed, in points.
    var margin: Double {
        switch self {
        case .roll58, .roll80: Self.points(4)
        case .a4, .letter: Self.points(20)
        }
    }

    /// In points.
    var textSize: Double {
        switch self {
        case .roll58: 7.5
        case .roll80: 9
        case .a4, .letter: 10
        }
    }

    /// The columns of the printer's own letters, twelve dots wide; those of a sheet are the most that a receipt has.
    public var columns: Int {
        switch self {
        case .roll58: 32
        case .roll80: 48
        case .a4, .letter: 80
        }
    }

    private static func points(_ millimetres: Double) -> Double { millimetres * 72 / 25.4 }
}
