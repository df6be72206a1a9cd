@description('Ending of the names.')
@minLength(3)
@maxLength(20)
param suffix string

@description('Azure region.')
param location string

@description('Tags.')
param tags object

@description('Resource id of the workspace.')
param workspaceId string

@description('Resource id of Application Insights, whose requests are counted.')
param insightsId string

@description('Resource id of the search service.')
param searchId string

@description('Address that alerts are mailed to; empty for none.')
param email string

@description('Share of failed answers in percent.')
@minValue(1)
@maxValue(100)
param errorPercent int

@description('95th percentile of the duration in milliseconds.')
@minValue(100)
@maxValue(60000)
param latencyMs int

@description('Share of throttled calls in percent.')
@minValue(1)
@maxValue(100)
param throttledPercent int

// A row stands for ItemCount calls, since traces are sampled. GET health and GET ready are asked often, and answer fast.
var ours = 'AppRequests | where _ResourceId =~ "${insightsId}" | where not(Name has_any ("health", "ready"))'
var mailed = empty(email) ? [] : [
  {
    name: 'operators'
    emailAddress: email
    useCommonAlertSchema: true
  }
]

resource operators 'Microsoft.Insights/actionGroups@2023-01-01' = {
  name: 'ag-${suffix}'
  location: 'global'
  tags: tags
  properties: {
    enabled: true
    groupShortName: 'retrieval'
    emailReceivers: mailed
  }
}

resource errors 'Microsoft.Insights/scheduledQueryRules@2026-03-01' = {
  name: 'alert-errors-${suffix}'
  location: location
  tags: tags
  kind: 'LogAlert'
  properties: {
    displayName: 'Retrieval: answers with status 500 or more'
    description: 'The docs say what to look at first.'
    severity: 1
    enabled: true
    autoMitigate: true
    evaluationFrequency: 'PT5M'
    windowSize: 'PT15M'
    scopes: [
      workspaceId
    ]
    criteria: {
      allOf: [
        {
          query: '${ours} | summarize calls = sum(ItemCount), failed = sumif(ItemCount, toint(ResultCode) >= 500) | where calls >= 20 | project percent = 100.0 * failed / calls'
          timeAggregation: 'Maximum'
          metricMeasureColumn: 'percent'
          operator: 'GreaterThanOrEqual'
          threshold: errorPercent
          failingPeriods: {
            numberOfEvaluationPeriods: 1
            minFailingPeriodsToAlert: 1
          }
        }
      ]
    }
    actions: {
      actionGroups: [
        operators.id
      ]
    }
  }
}

resource latency 'Microsoft.Insights/scheduledQueryRules@2026-03-01' = {
  name: 'alert-latency-${suffix}'
  location: location
  tags: tags
  kind: 'LogAlert'
  properties: {
    displayName: 'Retrieval: slow answers'
    description: 'The 95th percentile of the duration of all calls.'
    severity: 2
    enabled: true
    autoMitigate: true
    evaluationFrequency: 'PT5M'
    windowSize: 'PT15M'
    scopes: [
      workspaceId
    ]
    criteria: {
      allOf: [
        {
          query: '${ours} | summarize calls = sum(ItemCount), p95 = percentilew(DurationMs, ItemCount, 95) | where calls >= 20 | project p95'
          timeAggregation: 'Maximum'
          metricMeasureColumn: 'p95'
          operator: 'GreaterThanOrEqual'
          threshold: latencyMs
          failingPeriods: {
            numberOfEvaluationPeriods: 1
            minFailingPeriodsToAlert: 1
          }
        }
      ]
    }
    actions: {
      actionGroups: [
        operators.id
      ]
    }
  }
}

resource throttled 'Microsoft.Insights/scheduledQueryRules@2026-03-01' = {
  name: 'alert-throttled-${suffix}'
  location: location
  tags: tags
  kind: 'LogAlert'
  properties: {
    displayName: 'Retrieval: callers are turned away'
    description: 'Answers with status 429: this service at its limit, or every search throttled.'
    severity: 2
    enabled: true
    autoMitigate: true
    evaluationFrequency: 'PT5M'
    windowSize: 'PT15M'
    scopes: [
      workspaceId
    ]
    criteria: {
      allOf: [
        {
          query: '${ours} | summarize calls = sum(ItemCount), turned = sumif(ItemCount, ResultCode == "429") | where calls >= 20 | project percent = 100.0 * turned / calls'
          timeAggregation: 'Maximum'
          metricMeasureColumn: 'percent'
          operator: 'GreaterThanOrEqual'
          threshold: throttledPercent
          failingPeriods: {
            numberOfEvaluationPeriods: 1
            minFailingPeriodsToAlert: 1
          }
        }
      ]
    }
    actions: {
      actionGroups: [
        operators.id
      ]
    }
  }
}

resource unknownVersions 'Microsoft.Insights/scheduledQueryRules@2026-03-01' = {
  name: 'alert-unknown-versions-${suffix}'
  location: location
  tags: tags
  kind: 'LogAlert'
  properties: {
    displayName: 'Retrieval: callers ask for an api-version that nobody knows yet'
    description: 'They are answered as the newest known version. The log names theirs; update the app.'
    severity: 3
    enabled: true
    autoMitigate: true
    evaluationFrequency: 'PT15M'
    windowSize: 'PT15M'
    scopes: [
      workspaceId
    ]
    criteria: {
      allOf: [
        {
          query: 'AppMetrics | where _ResourceId =~ "${insightsId}" | where Name == "retrieval.unknown_versions" | summarize calls = sum(Sum) | project calls'
          timeAggregation: 'Maximum'
          metricMeasureColumn: 'calls'
          operator: 'GreaterThanOrEqual'
          threshold: 1
          failingPeriods: {
            numberOfEvaluationPeriods: 1
            minFailingPeriodsToAlert: 1
          }
        }
      ]
    }
    actions: {
      actionGroups: [
        operators.id
      ]
    }
  }
}

resource searchThrottled 'Microsoft.Insights/metricAlerts@2026-01-01' = {
  name: 'alert-search-throttled-${suffix}'
  location: 'global'
  tags: tags
  properties: {
    description: 'The search service turns queries away: it needs replicas.'
    severity: 2
    enabled: true
    autoMitigate: true
    evaluationFrequency: 'PT5M'
    windowSize: 'PT15M'
    scopes: [
      searchId
    ]
    criteria: {
      'odata.type': 'Microsoft.Azure.Monitor.SingleResourceMultipleMetricCriteria'
      allOf: [
        {
          name: 'throttled'
          criterionType: 'StaticThresholdCriterion'
          metricNamespace: 'Microsoft.Search/searchServices'
          metricName: 'ThrottledSearchQueriesPercentage'
          timeAggregation: 'Average'
          operator: 'GreaterThan'
          threshold: throttledPercent
        }
      ]
    }
    actions: [
      {
        actionGroupId: operators.id
      }
    ]
  }
}
