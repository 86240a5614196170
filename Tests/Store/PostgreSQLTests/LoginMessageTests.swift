import Testing

@testable import PostgreSQL

struct LoginMessageTests {
    @Test(arguments: ["28000", "28P01", "3D000", "42501"])
    func `a refusal that a person must mend is told from a server that is away`(_ code: String) {
        let message = LoginMessage(
            """
            connection to server on socket "/tmp/.s.PGSQL.5432" failed: FATAL:  \(code): role "x" does not exist
            LOCATION:  InitializeSessionUserId, miscinit.c:600
            """)
        #expect(message.isLasting)
        let text = #"connection to server on socket "/tmp/.s.PGSQL.5432" failed: FATAL:  role "x" does not exist"#
        #expect(message.text == text)
    }

    @Test(arguments: [
        "FATAL:  57P03: the database system is starting up", "FATAL:  53300: sorry, too many clients already",
        "could not connect to server: Connection refused", "",
        "FATAL:  28000: no encryption\nFATAL:  57P03: the database system is shutting down",
    ])
    func `a server that will answer later is tried again`(_ message: String) {
        #expect(!LoginMessage(message).isLasting)
    }

    @Test func `a password that is missing is a refusal`() {
        let message = LoginMessage("connection to server failed: fe_sendauth: no password supplied\n")
        #expect(message.isLasting)
        #expect(message.text == "connection to server failed: fe_sendauth: no password supplied")
    }
}
