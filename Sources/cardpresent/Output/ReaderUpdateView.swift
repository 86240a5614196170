internal import Determinism
internal import Hardware

/// The result of `readers update`.
struct ReaderUpdateView: Encodable, Sendable {
    struct Update: Encodable, Sendable {
        var version: String
        /// `optional`, `required`, or `requiredFrom`
        var need: String
        /// `2026-12-01`; null unless it is required from a day on.
        @Nullable var requiredFrom: String?
        var estimate: ReaderUpdateTimeEstimate
    }

    var reader: CardReader
    /// What there is, or was installed; null when there is nothing newer.
    @Nullable var update: Update?
    /// `none`, `available` or `updated`
    var outcome: String

    init(_ reader: CardReader, _ update: ReaderFirmwareUpdate?, outcome: String) {
        (self.reader, self.outcome) = (reader, outcome)
        _update = Nullable(wrappedValue: update.map(Update.init))
    }

    var text: String {
        let version = reader.softwareVersion ?? "no firmware"
        guard let update else { return "\(reader.id)  \(reader.name)  \(version), nothing newer\n" }
        guard outcome != "updated" else { return "\(reader.id)  \(reader.name)  \(version), updated\n" }
        let need =
            switch update.need {
            case "required": ", required"
            case "requiredFrom": ", required from \(update.requiredFrom ?? "")"
            default: ""
            }
        return "\(reader.id)  \(reader.name)  \(version), \(update.version) can be installed\(need)\n"
    }
}

extension ReaderUpdateView.Update {
    init(_ update: ReaderFirmwareUpdate) {
        (version, estimate) = (update.version, update.estimate)
        switch update.need {
        case .optional: (need, _requiredFrom) = ("optional", Nullable(wrappedValue: nil))
        case .required: (need, _requiredFrom) = ("required", Nullable(wrappedValue: nil))
        case .requiredFrom(let date):
            (need, _requiredFrom) = ("requiredFrom", Nullable(wrappedValue: Self.text(date)))
        }
    }

    private static func text(_ date: CivilDate) -> String {
        func pad(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(date.year)-\(pad(date.month))-\(pad(date.day))"
    }
}
