import Hardware
import Synchronization

/// Where the reader service is left by whoever makes it.
final class ReaderBox: Sendable {
    private let made = Mutex<(any CardReaderService)?>(nil)

    var service: (any CardReaderService)? { made.withLock { $0 } }

    func keep(_ service: any CardReaderService) -> any CardReaderService {
        made.withLock { $0 = service }
        return service
    }
}
