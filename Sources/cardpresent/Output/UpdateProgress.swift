internal import Hardware
internal import Synchronization

/// Shows a person how far a firmware update has come, on one line that is written over.
final class UpdateProgress: Sendable {
    private let isShown: Bool
    private let shown = Mutex(-1)

    init(isShown: Bool) { self.isShown = isShown }

    func show(_ state: CardReaderSoftwareUpdateState) {
        guard isShown else { return }
        switch state {
        case .installing(let progress):
            let percent = Int(progress * 100)
            let isNew = shown.withLock { shown in
                defer { shown = percent }
                return shown != percent
            }
            if isNew { StandardError.write("\r\(percent) percent; do not unplug the reader ") }
        case .completed, .failed:
            if shown.withLock({ $0 >= 0 }) { StandardError.write("\n") }
        case .none, .available, .started: break
        }
    }
}
