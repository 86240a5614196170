public import Printing

/// The paper size of a receipt.
public enum PaperSize: Hashable, Sendable, CaseIterable {
    case roll58
    case roll80
    case a4
    case letter

    /// The dots per point of a receipt printer: 203 dots per inch.
    static let dotsPerPoint = 203.0 / 72

    /// The width, in points of 1/72 inch.
    var width: Double {
        switch self {
        case .roll58: Self.points(58)
        case .roll80: Self.points(80)
        case .a4: Self.points(210)
        case .letter: 612
        }
    }

    /// The height, in points; nil for a roll, whose page is as long as the receipt.
    var height: Double? {
        switch self {
        case .roll58, .roll80: nil
        case .a4: Self.points(297)
        case .letter: 792
        }
    }

    /// The printable width, in points. A print head for 58 mm has 384 dots, one for 80 mm 576.
    var printableWidth: Double {
        switch self {
        case .roll58: 384 / Self.dotsPerPoint
        case .roll80: 576 / Self.dotsPerPoint
        case .a4, .letter: width - 2 * margin
        }
    }

    /// The gap between the columns of a sheet, in points.
    static let columnGap = points(8)

    /// The top and bottom margins, and the side margins of a sheet, in points.
    var margin: Double {
        switch self {
        case .roll58, .roll80: Self.points(4)
        case .a4, .letter: Self.points(20)
        }
    }

    /// The font size, in points.
    var textSize: Double {
        switch self {
        case .roll58: 7.5
        case .roll80: 9
        case .a4, .letter: 10
        }
    }

    /// The columns of the printer's built-in font, twelve dots wide; for a sheet, the maximum columns of a receipt.
    public var columns: Int {
        switch self {
        case .roll58: 32
        case .roll80: 48
        case .a4, .letter: 80
        }
    }

    private static func points(_ millimetres: Double) -> Double { millimetres * 72 / 25.4 }
}

extension PaperSize {
    /// Creates the size for a medium of a printer: a roll by its width, a sheet by its length.
    public init(_ medium: PrintMedium) {
        // The limits are halfway between the rolls of 58 and 80 mm, and between letter and A4, in hundredths of a
        // millimeter.
        if medium.isRoll {
            self = medium.width < 6900 ? .roll58 : .roll80
        } else {
            self = medium.length < 28_820 ? .letter : .a4
        }
    }
}
