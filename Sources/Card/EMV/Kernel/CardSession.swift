import SmartCard

/// The kernel's commands to the card (EMV Book 1 §11, Book 3 §6).
struct CardSession {
    let channel: any CardChannel
    /// Receives each state that the kernel enters.
    let observe: @Sendable (KernelState) -> Void
    /// Whether commands are sent even if the task is canceled. Set after going online, because the card must complete a
    /// transaction that the issuer knows of.
    var outlivesCancellation = false

    func select(_ name: [UInt8], next: Bool = false) async throws(KernelStop) -> ResponseAPDU {
        try await send(0x00, 0xA4, 0x04, next ? 0x02 : 0x00, name, answers: true)
    }

    func readRecord(_ record: UInt8, file: UInt8) async throws(KernelStop) -> ResponseAPDU {
        try await send(0x00, 0xB2, record, file << 3 | 0x04, [], answers: true)
    }

    /// Sends GET PROCESSING OPTIONS with the filled PDOL, at most 252 bytes.
    func getProcessingOptions(_ options: [UInt8]) async throws(KernelStop) -> ResponseAPDU {
        try await send(0x80, 0xA8, 0x00, 0x00, BERTLV.encode(0x83, options), answers: true)
    }

    /// Sends GET DATA and returns the value; nil if the card does not return it.
    func getData(_ tag: BERTag) async throws(KernelStop) -> [UInt8]? {
        let response = try await send(
            0x80, 0xCA, UInt8(truncatingIfNeeded: tag.rawValue >> 8), UInt8(truncatingIfNeeded: tag.rawValue), [],
            answers: true)
        guard response.status == .success, let objects = try? BERTLV.parse(response.data), objects.count == 1,
            let object = objects.first, object.tag == tag, let element = DataElement[tag],
            element.lengths.contains(object.value.count)
        else { return nil }
        return object.value
    }

    /// Sends GET CHALLENGE and returns eight bytes; nil if the card does not return them.
    func getChallenge() async throws(KernelStop) -> [UInt8]? {
        let response = try await send(0x00, 0x84, 0x00, 0x00, [], answers: true)
        return response.status == .success && response.data.count == 8 ? response.data : nil
    }

    /// Sends VERIFY with a PIN block, which the caller wipes: reference 80 for plaintext, 88 for enciphered.
    func verify(reference: UInt8, _ data: [UInt8]) async throws(KernelStop) -> StatusWord {
        try await send(0x00, 0x20, 0x00, reference, data, answers: false).status
    }

    /// The reader's PIN pad; nil if it has none.
    var pinPad: (any PINPadCardChannel)? {
        guard let pinPad = channel as? any PINPadCardChannel, pinPad.hasPINPad else { return nil }
        return pinPad
    }

    /// Verifies a PIN entered on the reader's keys.
    func verify(_ entry: PINPadEntry, on pinPad: any PINPadCardChannel) async throws(KernelStop) -> PINPadAnswer {
        do throws(CardChannelError) {
            guard !Task.isCancelled else { throw .canceled }
            return try await pinPad.verifyPIN(entry)
        } catch {
            throw KernelStop(error)
        }
    }

    /// Sends INTERNAL AUTHENTICATE with the filled DDOL, which the card signs.
    func internalAuthenticate(_ data: [UInt8]) async throws(KernelStop) -> ResponseAPDU {
        try await send(0x00, 0x88, 0x00, 0x00, data, answers: true)
    }

    /// Sends GENERATE AC with the filled CDOL, and asks for the signature.
    func generateApplicationCryptogram(
        _ type: CryptogramType, _ signature: CryptogramSignature, _ data: [UInt8]
    ) async throws(KernelStop) -> ResponseAPDU {
        try await send(0x80, 0xAE, type.rawValue | signature.rawValue, 0x00, data, answers: true)
    }

    func externalAuthenticate(_ data: [UInt8]) async throws(KernelStop) -> StatusWord {
        try await send(0x00, 0x82, 0x00, 0x00, data, answers: false).status
    }

    func transmit(_ command: CommandAPDU) async throws(KernelStop) -> ResponseAPDU {
        do throws(CardChannelError) {
            guard outlivesCancellation else {
                guard !Task.isCancelled else { throw .canceled }
                return try await channel.transmit(command)
            }
            let channel = self.channel
            return try await Task { () async -> Result<ResponseAPDU, CardChannelError> in
                do throws(CardChannelError) { return .success(try await channel.transmit(command)) } catch {
                    return .failure(error)
                }
            }.value.get()
        } catch {
            throw KernelStop(error)
        }
    }

    private func send(
        _ cla: UInt8, _ ins: UInt8, _ p1: UInt8, _ p2: UInt8, _ data: [UInt8], answers: Bool
    ) async throws(KernelStop) -> ResponseAPDU {
        let command: CommandAPDU
        do throws(APDUError) {
            command = try CommandAPDU(
                cla: cla, ins: ins, p1: p1, p2: p2, data: data, expectedLength: answers ? 256 : nil)
        } catch {
            throw .failed(.channel(.notSupported("\(error)")))
        }
        return try await transmit(command)
    }
}

/// The commands whose failure ends a transaction, for error messages.
public enum CardCommand: String, Hashable, Sendable, CustomStringConvertible {
    case getProcessingOptions = "GET PROCESSING OPTIONS"
    case readRecord = "READ RECORD"
    case internalAuthenticate = "INTERNAL AUTHENTICATE"
    case generateApplicationCryptogram = "GENERATE AC"

    public var description: String { rawValue }
}

/// The signature that GENERATE AC asks for: bits 5 and 4 of P1 (EMV Book 3 table 12).
enum CryptogramSignature: UInt8, Hashable, Sendable {
    case none = 0x00
    /// XDA, on an elliptic curve.
    case extended = 0x08
    /// CDA, with RSA.
    case combined = 0x10
}
