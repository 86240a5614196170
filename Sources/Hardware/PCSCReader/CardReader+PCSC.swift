internal import PCSC

extension CardReader {
    /// The reader that pcscd has under this name. A reader with several slots has a name for each.
    init(pcsc name: String, _ description: PCSCReaderDescription = PCSCReaderDescription()) {
        self.init(
            id: "pcsc:" + name, name: name, manufacturer: description.manufacturer,
            serialNumber: description.serialNumber, usbID: description.usbID,
            softwareVersion: description.softwareVersion, batteryLevel: nil, readerType: .pcsc, exchangeLevel: "PC/SC",
            slotCount: 1, hasPINPad: description.hasPINPad)
    }
}
