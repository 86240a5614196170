internal import ArgumentParser
internal import Simulator

/// Where a simulated card goes.
struct DoorOptions: ParsableArguments {
    private static let standardVPCD = DoorAddress.tcp(host: "127.0.0.1", port: 35_963)

    @Option(
        help: ArgumentHelp(
            "Put the card into pcscd's virtual reader (vsmartcard's vpcd), which listens there.",
            discussion: "Default: 127.0.0.1:35963.", valueName: "host:port"),
        transform: Self.address)
    var vpcd: DoorAddress?
    @Option(
        help: ArgumentHelp(
            "Put the card into QEMU's USB reader, whose character device listens there: a UNIX socket or HOST:PORT.",
            valueName: "socket"),
        completion: .file(), transform: Self.address)
    var vscard: DoorAddress?
    @Option(
        help: ArgumentHelp(
            "How long to wait for the other side. Default: until it is there.", valueName: "seconds"))
    var wait: Int?
    @Flag(help: "End when the other side goes away, instead of waiting for it again.")
    var once = false

    func validate() throws {
        guard vpcd == nil || vscard == nil else {
            throw ValidationError("--vpcd and --vscard exclude each other: a card is in one reader at a time")
        }
        if let wait, !(0...86_400).contains(wait) { throw ValidationError("--wait is 0 to 86400 seconds") }
    }

    private static func address(_ text: String) throws -> DoorAddress {
        guard let address = DoorAddress(text) else {
            throw ValidationError("'\(text)' is neither HOST:PORT nor the path of a socket, which has a slash in it")
        }
        return address
    }

    var kind: DoorKind { vscard == nil ? .vpcd : .vscard }

    var address: DoorAddress { vscard ?? vpcd ?? Self.standardVPCD }

    var stay: CardDoor.Stay {
        CardDoor.Stay(longestWait: wait.map { .seconds($0) }, endsWithPeer: once)
    }
}
