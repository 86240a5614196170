/// Something that goes wrong at a simulated magnetic stripe reader, once.
public enum SimulatedMSRFault: Hashable, Sendable {
    /// The next transfer stalls.
    case stall
    /// The swipe breaks off behind so many reports.
    case cutOff(afterReports: Int)
    /// The device is pulled out when so many reports of a swipe have been read.
    case unplugged(afterReports: Int)
    /// The reports of a swipe are shorter than they should be.
    case truncated(to: Int)
}
