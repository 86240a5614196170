public import CCID
public import Determinism
internal import Hardware
public import USB

/// Whether every reader answers.
public struct AnswerCheck: Check {
    private let bus: Result<any USBBus, USBError>
    private let quirks: ReaderQuirkTable
    private let time: any TimeSource

    /// - Parameters:
    ///   - bus: where the readers are, or why they cannot be looked for.
    ///   - quirks: what is known of readers.
    ///   - time: measures the wait for an answer.
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
                .problem(.reader, "the USB devices cannot be listed: \(error)", fix: "cardpresent doctor --only usb")
            ]
        }
    }

    private func findings(on bus: any USBBus) async throws(USBError) -> [Finding] {
        var findings: [Finding] = []
        for device in try await bus.devices() {
            guard let reader = CardReader(device, quirks: quirks) else { continue }
            guard reader.readerType == .ccid else {
                findings.append(.ok(about: "\(reader.id) \(reader.name)", "says something only when a card is swiped"))
                continue
            }
            findings.append(await finding("\(reader.id) \(reader.name)", device, on: bus))
        }
        return findings.isEmpty ? [.skipped("no card reader is plugged in")] : findings
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
            return .ok(about: name, "answers, card \(card) (\(milliseconds) ms)")
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
        case .usb(.accessDenied): .skipped("\(name) cannot be asked without permission")
        case .usb(.busy): .skipped("\(name) cannot be asked while somebody else holds it")
        case .firmwareRefused(let release, let fix):
            .problem(
                .reader, about: name, "has firmware that fails with cards: \(release)",
                cause: "the quirk table lists it: cardpresent readers quirks", fix: fix)
        case .descriptor:
            .problem(
                .reader, about: name, "cannot be driven: \(error)", cause: "its firmware",
                fix: "ask its maker for newer firmware, or use another reader")
        default:
            .problem(
                .reader, about: name, "does not answer: \(error)",
                cause: "its firmware hangs, the cable or the port is bad, or a hub gives too little power",
                fix: "unplug it and plug it in again, without a hub; then: cardpresent doctor --only answer")
        }
    }
}
