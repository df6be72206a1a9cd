"""Microsoft's own tests of `azure-search-documents`, from its source distribution on PyPI, against the local service.

    make conformance        runs them over loopback and in process, and says what is skipped and why

The tests are downloaded when they run and are not changed. What they need and the distribution lacks is the project's
own: the hotels (`hotels`), and a stand-in for the unpublished package of test tools (`stand_ins/devtools_testutils`).
"""
