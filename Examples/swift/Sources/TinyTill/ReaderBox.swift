import Hardware
import Synchronization

/// Holds the reader service for its creator.
final class ReaderBox: Sendable {
    private let made = Mutex<(any CardReaderService)?>(nil)

    var service: (any CardReaderService)? { made.withLock { $0 } }

    func keep(_ service: any CardReaderService) -> any CardReaderService {
        made.withLock { $0 = service }
        return service
    }
}
