internal import ArgumentParser
internal import Simulator

/// Identifiers that a USB device is known by, written as `lsusb` writes them.
struct USBIdentifiers: Hashable, Sendable, CustomStringConvertible, ExpressibleByArgument {
    var vendor: UInt16
    var product: UInt16

    init(vendor: UInt16, product: UInt16) { (self.vendor, self.product) = (vendor, product) }

    init?(argument: String) {
        let parts = argument.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ $0.count == 4 }), let vendor = UInt16(parts[0], radix: 16),
            let product = UInt16(parts[1], radix: 16)
        else { return nil }
        (self.vendor, self.product) = (vendor, product)
    }

    var description: String { Self.text(vendor) + ":" + Self.text(product) }

    private static func text(_ number: UInt16) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 4 - digits.count) + digits
    }
}

/// Which readers are lent, and which cards are in them.
struct USBReaderOptions: ParsableArguments {
    @Option(
        name: .customLong("model"),
        help: ArgumentHelp(
            "A model of a simulated reader; give it again for one more reader. Default: tpdu.", valueName: "model"),
        completion: ReaderModelCatalogue.completion)
    var models: [String] = []
    @Option(
        name: .customLong("card"),
        help: ArgumentHelp(
            "The card in a slot, or to swipe: the name of a profile or the path of a profile file.",
            discussion: """
                Default: visa-credit. Given again, it is for the next slot, counted through all readers; the last one \
                is for all that are left.
                """, valueName: "profile"),
        completion: CardCatalogue.completion)
    var cards: [String] = []
    @Flag(help: "Leave the slots empty until 'insert' puts the cards in.")
    var empty = false
    @Option(
        help: ArgumentHelp(
            "Show these USB identifiers instead of the model's own.",
            discussion: "libccid drives only readers that it knows, such as 08e6:4433.", valueName: "vvvv:pppp"))
    var usbID: USBIdentifiers?
    @Flag(help: "Be high speed devices, at 480 Mbit/s, instead of full speed ones.")
    var highSpeed = false

    /// - Throws: `CommandFailure`
    func readers() throws(CommandFailure) -> [SimulatedReader] {
        guard models.count <= SimulatedUSBBus.mostDevices else {
            throw CommandFailure(
                .usage, code: "too_many_readers",
                message: "a USB bus has room for \(SimulatedUSBBus.mostDevices) devices, not for \(models.count)",
                fix: "run 'cardpresent simulate usb' twice, with another --listen")
        }
        var found: [SimulatedReader] = []
        for name in models.isEmpty ? [SimulatedReaderModel.tpdu.name] : models {
            var reader = try ReaderModelCatalogue.reader(name)
            if let usbID { reader.identifiers = (usbID.vendor, usbID.product) }
            if highSpeed {
                guard case .chip(var model) = reader else {
                    throw CommandFailure(
                        .usage, code: "full_speed_only", message: "'\(name)' is a full speed device, and nothing else",
                        fix: "leave --high-speed out")
                }
                model.speed = .high
                reader = .chip(model)
            }
            found.append(reader)
        }
        return found
    }

    /// The cards' profiles; the last one is for all that are left.
    ///
    /// - Throws: `CommandFailure`
    func profiles() throws(CommandFailure) -> [CardProfile] {
        var found: [CardProfile] = []
        for name in cards.isEmpty ? ["visa-credit"] : cards { found.append(try CardCatalogue.profile(name)) }
        return found
    }
}
