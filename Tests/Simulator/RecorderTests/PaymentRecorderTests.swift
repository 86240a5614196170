import CardSecrets
import Determinism
import EMV
import Hardware
import Money
import Recorder
import ScenarioFormat
import Simulator
import SmartCard
import Testing
import TillConfiguration

/// Simulates a real reader. That the file can be replayed is checked when it is written.
@Suite("The recorder of payments at real readers")
struct PaymentRecorderTests {
    private let time = VirtualTimeSource()
    private let recorder: PaymentRecorder
    private let exchanges: TraceRecorder

    init() {
        let recorder = PaymentRecorder(time: time)
        self.recorder = recorder
        exchanges = TraceRecorder { recorder.note($0) }
        recorder.note(
            CardReader(
                id: "08e6:3437@1-4", name: "A reader\nwith two lines", manufacturer: nil, serialNumber: nil,
                usbID: "08e6:3437", softwareVersion: "1.00", batteryLevel: nil, readerType: .ccid,
                exchangeLevel: "TPDU", slotCount: 1))
    }

    private func file(_ outcome: String, _ error: String?) async throws -> String {
        let amount = try Money("12.50", currency: .usDollar)
        return try await recorder.scenario(
            of: RecordedPayment(amount: amount, outcome: outcome, errorCode: error),
            at: RecordedPlace(start: recorder.start, utcOffsetSeconds: 0, till: .standard), name: "field")
    }

    private func apdu(_ digits: String) throws -> CommandAPDU { try CommandAPDU(bytes: bytes(digits)) }

    private func bytes(_ digits: String) -> [UInt8] {
        let nibbles = digits.compactMap(\.hexDigitValue)
        return stride(from: 0, to: nibbles.count, by: 2).map { UInt8(nibbles[$0] << 4 | nibbles[$0 + 1]) }
    }

    private let directory = "00A404000E315041592E5359532E444446303100"
    private let visa = "00A4040007A000000003101000"

    private func insertCard(after delay: Duration) {
        recorder.note(.waitingForInput(.insert))
        time.advance(by: delay)
        recorder.note(.cardInserted)
        recorder.note(.kernel(.selectingApplication))
    }

    @Test("an unplugged reader is unplugged again after the same exchange")
    func unplugged() async throws {
        insertCard(after: .milliseconds(3200))
        exchanges.add(try apdu(directory), ResponseAPDU(status: .fileNotFound))
        exchanges.add(try apdu(visa), .readerUnavailable("unplugged"))
        recorder.note(.disconnected(.unplugged))
        let text = try await file("failed", "reader_disconnected")
        #expect(text.contains("- { on: apdu, do: unplug }"), "\(text)")
        #expect(text.contains("insertAfter: 3200ms"))
        #expect(text.contains("outcome: failed"))
        #expect(text.contains("A reader with two lines, 08e6:3437, 1.00, TPDU"))
        #expect(text.contains("reader: tpdu") || !text.contains("reader:"))
    }

    @Test("a cancellation before the card happens after the same time")
    func canceledWhileWaiting() async throws {
        recorder.note(.waitingForInput(.insert))
        time.advance(by: .milliseconds(4200))
        recorder.noteCancellation()
        let text = try await file("cancelled", "cancelled")
        #expect(text.contains("- { on: waiting insert, after: 4200ms, do: cancel }"), "\(text)")
        #expect(text.contains("presents: false") && text.contains("outcome: cancelled"))
        #expect(!text.contains("otherwise than the payment"), "\(text)")
    }

    @Test("a difference of the replay is reported with both sides")
    func otherwise() async throws {
        insertCard(after: .seconds(1))
        exchanges.add(try apdu(directory), ResponseAPDU(status: .fileNotFound))
        exchanges.add(try apdu(visa), .cardRemoved)
        let text = try await file("approved", nil)
        #expect(text.contains("outcome: was approved; a replay gives failed"), "\(text)")
        #expect(text.contains("outcome: failed") && text.contains("error: card_removed"))
    }

    @Test("a PIN is passed on and recorded as a word")
    func secrets() async throws {
        let cardholder = RecordingCardholder(TypingCardholder(), recorder: recorder)
        let prompt = PINPrompt(method: .online, triesLeft: nil, isRetry: false)
        guard case .entered(let pin) = await cardholder.enterPIN(prompt) else {
            Issue.record("the PIN is passed on")
            return
        }
        let isPassedOn = pin.isEqual(to: SensitiveBytes([7, 3, 9, 1, 8, 2]))
        #expect(isPassedOn)
        insertCard(after: .seconds(1))
        exchanges.add(try apdu(directory), .cardRemoved)
        let text = try await file("failed", "card_removed")
        #expect(text.contains("pins: [right]"), "\(text)")
        #expect(!text.contains("739182"))
    }
}

private struct TypingCardholder: CardholderInterface {
    func chooseApplication(_ applications: [ApplicationChoice]) async -> Int? { 0 }

    func enterPIN(_ prompt: PINPrompt) async -> PINEntry { .entered(SensitiveBytes([7, 3, 9, 1, 8, 2])) }

    func encipherPIN(
        _ pin: borrowing SensitiveBytes, pan: borrowing PrimaryAccountNumber
    ) async -> EncipheredPINBlock? { nil }
}
