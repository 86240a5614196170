internal import ArgumentParser
internal import Receipts

/// How a receipt printer cuts.
enum CutChoice: String, ExpressibleByArgument, CaseIterable, Sendable {
    case partial
    case full

    var cut: PaperCut {
        switch self {
        case .partial: .partial
        case .full: .full
        }
    }
}
