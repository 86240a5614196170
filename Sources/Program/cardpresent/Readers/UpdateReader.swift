import ArgumentParser
import Determinism
import Hardware

/// `readers update`
struct UpdateReader: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "update", abstract: "Update a reader's firmware.",
        discussion: """
            EXAMPLES:
              cardpresent readers update --check
              cardpresent readers update

            readers.firmware in the configuration lists the firmware files. Ctrl-C cancels the update until the \
            transfer starts; after that it runs to the end, because the reader would be left without firmware. If the \
            reader was disconnected during an update, run the command again.
            """)

    @Argument(help: "Reader ID, as shown by 'readers list'. Default: the first reader with an update.")
    var reader: String?
    @Flag(help: "Check for an update without installing it.")
    var check = false
    @OptionGroup var bus: BusOptions
    @OptionGroup var configuration: ConfigurationOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard !bus.pcsc else { throw ValidationError("--pcsc cannot be used: pcscd does not support firmware updates") }
    }

    func execute() async throws {
        try await bus.play {
            let source = try bus.source(try configuration.load())
            let (reader, update) = try await choose(from: source)
            guard let update, !check else {
                return try output.write(UpdateResult(reader: reader, update: update, isInstalled: false))
            }
            let updated = try await install(update, on: reader, from: source)
            try output.write(UpdateResult(reader: updated, update: update, isInstalled: true))
        }
    }

    /// Returns the selected reader and its update.
    private func choose(
        from source: any FirmwareSource
    ) async throws(CommandFailure) -> (CardReader, ReaderFirmwareUpdate?) {
        let readers = try await ReaderCatalog.readers(of: source)
        if let id = reader {
            guard let found = readers.first(where: { $0.id == id }) else { throw .noReader(id, among: readers) }
            return (found, await source.update(for: found))
        }
        for reader in readers {
            if let update = await source.update(for: reader) { return (reader, update) }
        }
        guard let first = readers.first else { throw .noReader(nil, among: []) }
        return (first, nil)
    }

    private func install(
        _ update: ReaderFirmwareUpdate, on reader: CardReader, from source: any FirmwareSource
    ) async throws -> CardReader {
        let run = ReaderUpdateRun(update, of: reader, from: source)
        let progress = UpdateProgress(isShown: StandardError.isTerminal && !Display.isQuiet && !output.json)
        do throws(UnderlyingError) {
            try ReaderFirmwareUpdate.check(batteryLevel: try await run.batteryLevel())
        } catch {
            throw CommandFailure(CardReaderServiceError.softwareUpdate(error))
        }
        StandardError.write(
            "cardpresent: updating \(reader.name) to firmware \(update.version), which takes \(update.estimate.text)\n")
        let result: Result<CardReader, UnderlyingError> = await CancellationSignals.watching {
            do throws(UnderlyingError) {
                return .success(try await run.perform { progress.show($0) })
            } catch {
                return .failure(error)
            }
        } onSignal: {
            if !run.cancel() {
                StandardError.write("cardpresent: cannot cancel now, the reader would be left without firmware\n")
            }
        }
        do throws(UnderlyingError) { return try result.get() } catch {
            throw CommandFailure(CardReaderServiceError.softwareUpdate(error))
        }
    }
}

extension CommandFailure {
    fileprivate static func noReader(_ id: String?, among readers: [CardReader]) -> CommandFailure {
        CommandFailure(
            .reader, code: "reader_not_found",
            message: id.map { "unknown reader '\($0)'" } ?? "no card reader found",
            fix: readers.isEmpty
                ? "connect a CCID reader, or use --simulated"
                : .choice(of: id ?? "", among: readers.map(\.id), called: "readers"))
    }
}

/// The result of `readers update`.
private struct UpdateResult: CommandResult {
    let reader: CardReader
    /// The available or installed update; nil when the firmware is up to date.
    let update: ReaderFirmwareUpdate?
    let isInstalled: Bool

    var json: JSONObject {
        let outcome = isInstalled ? "updated" : update == nil ? "none" : "available"
        return ["reader": reader, "update": update?.json, "outcome": outcome]
    }

    var text: String {
        let version = reader.softwareVersion ?? "no firmware"
        let state =
            switch (update, isInstalled) {
            case (nil, _): "up to date"
            case (_?, true): "updated"
            case (let update?, false): "\(update.version) is available\(update.needText)"
            }
        return "\(reader.id)  \(reader.name)  \(version), \(state)\n"
    }
}

extension ReaderFirmwareUpdate {
    fileprivate var json: JSONObject {
        // The day from which the update is required: 2026-12-01.
        let (need, day): (String, String?) =
            switch self.need {
            case .optional: ("optional", nil)
            case .required: ("required", nil)
            case .requiredFrom(let date): ("requiredFrom", date.dayText)
            }
        return ["version": version, "need": need, "requiredFrom": day, "estimate": estimate]
    }

    fileprivate var needText: String {
        switch need {
        case .optional: ""
        case .required: ", required"
        case .requiredFrom(let date): ", required from \(date.dayText)"
        }
    }
}

/// Shows the progress of a firmware update.
struct UpdateProgress: Sendable {
    private let line: ProgressLine

    init(isShown: Bool) { line = ProgressLine(isShown: isShown) }

    func show(_ state: CardReaderSoftwareUpdateState) {
        switch state {
        case .installing(let progress):
            line.show("\(Int(progress * 100)) percent\(line.timeLeft(progress)); do not disconnect the reader")
        case .completed, .failed: line.clear()
        case .none, .available, .started: break
        }
    }
}
