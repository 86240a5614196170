internal import ArgumentParser
internal import Simulator

/// Where a simulated card goes.
struct DoorOptions: ParsableArguments {
    private static let standardVPCD = DoorAddress.tcp(host: "127.0.0.1", port: 35_963)

    @Option(
        help: ArgumentHelp(
            "Put the card into pcscd's virtual reader (vsmartcard's vpcd), which listens there.",
            discussion: "Default: 127.0.0.1:35963.", valueName: "host:port"),
        transform: DoorAddress.argument)
    var vpcd: DoorAddress?
    @Option(
        help: ArgumentHelp(
            "Put the card into QEMU's USB reader, whose character device listens there: a UNIX socket or HOST:PORT.",
            valueName: "socket"),
        completion: .file(), transform: DoorAddress.argument)
    var vscard: DoorAddress?
    @OptionGroup private var stayOptions: StayOptions

    func validate() throws {
        guard vpcd == nil || vscard == nil else {
            throw ValidationError("--vpcd and --vscard exclude each other: a card is in one reader at a time")
        }
    }

    var kind: DoorKind { vscard == nil ? .vpcd : .vscard }

    var address: DoorAddress { vscard ?? vpcd ?? Self.standardVPCD }

    var stay: DoorStay { stayOptions.stay }
}

extension DoorAddress {
    /// Reads an option.
    static func argument(_ text: String) throws -> DoorAddress {
        guard let address = DoorAddress(text) else {
            throw ValidationError("'\(text)' is neither HOST:PORT nor the path of a socket, which has a slash in it")
        }
        return address
    }
}
