/// A command in a stream of bytes, or what lies between two.
enum SocketPrinterCommand: Hashable {
    /// DLE EOT n
    case status(UInt8)
    /// GS I 67
    case model
    /// GS r 1
    case paper
    /// GS ( H, function 48
    case processID([UInt8])
    /// ESC ACK SOH
    case report
    /// ETB
    case mark
    /// To be printed.
    case data([UInt8])

    /// In bytes.
    var length: Int {
        switch self {
        case .status, .model, .paper, .report: 3
        case .processID: 11
        case .mark: 1
        case .data(let bytes): bytes.count
        }
    }

    /// Whether it asks for a word about what came before it.
    var isConfirmation: Bool {
        switch self {
        case .paper, .processID, .mark: true
        case .status, .model, .report, .data: false
        }
    }

    /// The first command of what was received; nil as long as it may go on.
    static func first(in bytes: [UInt8], _ family: SocketPrinterBehavior.Family) -> SocketPrinterCommand? {
        for start in bytes.indices {
            let rest = Array(bytes[start...])
            let (command, mayGoOn) = command(at: rest, family)
            guard command != nil || mayGoOn else { continue }
            if start > 0 { return .data(Array(bytes[..<start])) }
            return command
        }
        return bytes.isEmpty ? nil : .data(bytes)
    }

    private static func command(
        at bytes: [UInt8], _ family: SocketPrinterBehavior.Family
    ) -> (SocketPrinterCommand?, mayGoOn: Bool) {
        func begins(_ head: [UInt8], _ length: Int) -> (matches: Bool, mayGoOn: Bool) {
            let count = min(head.count, bytes.count)
            guard bytes.prefix(count).elementsEqual(head.prefix(count)) else { return (false, false) }
            return (bytes.count >= length, bytes.count < length)
        }
        let candidates: [(head: [UInt8], length: Int, make: ([UInt8]) -> SocketPrinterCommand)] =
            switch family {
            case .epson:
                [
                    ([0x10, 0x04], 3, { .status($0[2]) }), ([0x1D, 0x49, 67], 3, { _ in .model }),
                    ([0x1D, 0x72, 1], 3, { _ in .paper }),
                    ([0x1D, 0x28, 0x48, 6, 0, 48, 48], 11, { .processID(Array($0[7..<11])) }),
                ]
            case .star: [([0x1B, 0x06, 0x01], 3, { _ in .report }), ([0x17], 1, { _ in .mark })]
            }
        for candidate in candidates {
            let (matches, mayGoOn) = begins(candidate.head, candidate.length)
            if matches { return (candidate.make(bytes), false) }
            if mayGoOn { return (nil, true) }
        }
        return (nil, false)
    }
}
