internal import ArgumentParser
internal import Receipts

/// What a receipt is drawn on.
enum PaperChoice: String, ExpressibleByArgument, CaseIterable, Sendable {
    case roll58 = "58mm"
    case roll80 = "80mm"
    case a4
    case letter

    var size: PaperSize {
        switch self {
        case .roll58: .roll58
        case .roll80: .roll80
        case .a4: .a4
        case .letter: .letter
        }
    }
}
