import Simulator
import Testing

struct CardSummaryTests {
    @Test(arguments: CardProfileLibrary.names)
    func `the summary of a built-in profile is the one that its decoder reads`(name: String) throws {
        #expect(try CardProfileLibrary.summary(of: name) == CardProfileLibrary.profile(name).summary)
    }

    @Test func `there is no summary of a profile that is not built in`() throws {
        #expect(try CardProfileLibrary.summary(of: "no-such-card") == nil)
    }
}
