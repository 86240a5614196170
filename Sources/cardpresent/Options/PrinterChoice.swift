internal import ArgumentParser
internal import Hardware
internal import Receipts

/// Whose commands a receipt printer obeys.
enum PrinterChoice: String, ExpressibleByArgument, CaseIterable, Sendable {
    case epson
    case star

    var family: PrinterFamily {
        switch self {
        case .epson: .epson
        case .star: .star
        }
    }
}
