internal import ArgumentParser
internal import Simulator

/// Which reader takes the payment.
enum ReaderChoice: Hashable, Sendable, ExpressibleByArgument {
    /// The first CCID reader on the USB bus, or the one with this identifier.
    case usb(id: String?)
    /// The first reader behind pcscd, or the one with this name or a part of it.
    case pcsc(name: String?)
    /// A simulated reader of this model.
    case simulated(model: String)

    init?(argument: String) {
        let parts = argument.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        switch parts.first {
        case "usb": self = .usb(id: parts.count == 2 ? parts[1] : nil)
        case "pcsc": self = .pcsc(name: parts.count == 2 && !parts[1].isEmpty ? parts[1] : nil)
        case "simulated": self = .simulated(model: parts.count == 2 ? parts[1] : SimulatedReaderModel.tpdu.name)
        default: return nil
        }
    }

    var defaultValueDescription: String {
        switch self {
        case .usb(let id): id.map { "usb:\($0)" } ?? "usb"
        case .pcsc(let name): name.map { "pcsc:\($0)" } ?? "pcsc"
        case .simulated(let model): "simulated:\(model)"
        }
    }

    static var allValueStrings: [String] {
        ["usb", "pcsc", "simulated"] + SimulatedReader.all.map { "simulated:\($0.name)" }
    }
}
