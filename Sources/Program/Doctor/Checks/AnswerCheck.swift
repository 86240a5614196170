public import CCID
public import Determinism
import Hardware
public import USB

/// Checks that all readers respond.
public struct AnswerCheck: Check {
    private let bus: Result<any USBBus, USBError>
    private let quirks: ReaderQuirkTable
    private let time: any TimeSource

    /// - Parameters:
    ///   - bus: The USB bus, or why it cannot be opened.
    ///   - quirks: The reader quirks.
    ///   - time: Measures response times.
    public init(
        bus: Result<any USBBus, USBError>, quirks: ReaderQuirkTable = .embedded, time: any TimeSource
    ) {
        (self.bus, self.quirks, self.time) = (bus, quirks, time)
    }

    public var name: CheckName { .answer }

    public func findings() async -> [Finding] {
        do throws(USBError) {
            return try await findings(on: bus.get())
        } catch {
            return [
                .problem(.reader, "cannot list the USB devices: \(error)", fix: "cardpresent doctor --only usb")
            ]
        }
    }

    private func findings(on bus: any USBBus) async throws(USBError) -> [Finding] {
        var findings: [Finding] = []
        for device in try await bus.devices() {
            guard let reader = CardReader(device, quirks: quirks) else { continue }
            guard reader.readerType == .ccid else {
                findings.append(.ok(about: "\(reader.id) \(reader.name)", "responds only when a card is swiped"))
                continue
            }
            findings.append(await finding("\(reader.id) \(reader.name)", device, on: bus))
        }
        return findings.isEmpty ? [.skipped("no card reader is connected")] : findings
    }

    private func finding(_ name: String, _ device: USBDevice, on bus: any USBBus) async -> Finding {
        do throws(CCIDError) {
            let begin = time.reading()
            let reader = try await CCIDReader.open(device, on: bus, quirks: quirks, time: time)
            let status: Result<String, CCIDError> = await Self.status(of: reader)
            await reader.close()
            let card = try status.get()
            let took = time.elapsed(since: begin).components
            let milliseconds = took.seconds * 1000 + took.attoseconds / 1_000_000_000_000_000
            return .ok(about: name, "responds, card \(card) (\(milliseconds) ms)")
        } catch {
            return Self.finding(name, error)
        }
    }

    private static func status(of reader: CCIDReader) async -> Result<String, CCIDError> {
        do throws(CCIDError) {
            return .success(String(describing: try await reader.cardStatus()))
        } catch {
            return .failure(error)
        }
    }

    private static func finding(_ name: String, _ error: CCIDError) -> Finding {
        switch error {
        case .usb(.accessDenied): .skipped("\(name): no permission to open it")
        case .usb(.busy): .skipped("\(name): in use by another program")
        case .firmwareRefused(let release, let fix):
            .problem(
                .reader, about: name, "has firmware that fails with cards: \(release)",
                cause: "listed by 'cardpresent readers quirks'", fix: fix)
        case .descriptor:
            .problem(
                .reader, about: name, "is not supported: \(error)", cause: "a firmware error",
                fix: "ask the manufacturer for newer firmware, or use another reader")
        default:
            .problem(
                .reader, about: name, "does not respond: \(error)",
                cause: "the firmware hangs, the cable or port is faulty, or a hub supplies too little power",
                fix: "reconnect it without a hub, then run: cardpresent doctor --only answer")
        }
    }
}
