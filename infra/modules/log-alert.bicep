@description('Name of the rule, without the ending of all names.')
@minLength(3)
@maxLength(40)
param name string

@description('Ending of the names of the alerts.')
@minLength(3)
@maxLength(40)
param suffix string

@description('Azure region.')
param location string

@description('Tags.')
param tags object

@description('What is wrong, in a line.')
param title string

@description('Where the runbook says what to do.')
param runbook string

@description('From 0, somebody is woken, to 4.')
@minValue(0)
@maxValue(4)
param severity int

@description('What is asked of the log. The last column is measured.')
param query string

@description('That column.')
param measure string

@description('From this value on the alert is raised.')
@minValue(1)
@maxValue(60000)
param threshold int

@description('Column of names: the alert is raised for each apart. Empty for none.')
param apart string = ''

@description('How far back is looked.')
param window string = 'PT15M'

@description('How often.')
param frequency string = 'PT5M'

@description('Resource id of the workspace.')
param workspaceId string

@description('Resource id of the action group that is told.')
param operatorsId string

resource rule 'Microsoft.Insights/scheduledQueryRules@2026-03-01' = {
  name: '${name}-${suffix}'
  location: location
  tags: tags
  kind: 'LogAlert'
  properties: {
    displayName: 'Retrieval: ${title}'
    description: 'What to do: ${runbook}'
    severity: severity
    enabled: true
    autoMitigate: true
    evaluationFrequency: frequency
    windowSize: window
    scopes: [
      workspaceId
    ]
    criteria: {
      allOf: [
        {
          query: query
          timeAggregation: 'Maximum'
          metricMeasureColumn: measure
          operator: 'GreaterThanOrEqual'
          threshold: threshold
          dimensions: empty(apart) ? [] : [
            {
              name: apart
              operator: 'Include'
              values: [
                '*'
              ]
            }
          ]
          failingPeriods: {
            numberOfEvaluationPeriods: 1
            minFailingPeriodsToAlert: 1
          }
        }
      ]
    }
    actions: {
      actionGroups: [
        operatorsId
      ]
    }
  }
}
